import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import {
  deliveryOf,
  deliveryWith,
  kill,
  publish,
  startProxiedWorker,
  workflowOf,
} from '../support/crashes.js'
import { expectSoundRows } from '../support/invariants.js'
import { startStack, type Stack } from '../support/stack.js'
import type { TcpProxy } from '../support/tcp-proxy.js'
import type { TestTenant } from '../support/tenants.js'
import { createTestWebhook, type TestWebhook } from '../support/webhooks.js'

describe('a workflow that somebody terminated by hand', function () {
  this.timeout(120_000)
  let stack: Stack
  let tenant: TestTenant
  let webhook: TestWebhook
  let proxy: TcpProxy
  const eventId = `evt_${randomUUID()}`
  beforeEach(async () => {
    stack = await startStack({
      workers: 0,
      environment: { WEBHOOK_TIMEOUT: '1s', RECONCILE_AFTER: '1s' },
      mayLogErrors: true,
    })
    tenant = await stack.tenant()
    webhook = await createTestWebhook(stack, tenant, { retry_schedule: [1] })
  })
  afterEach(async () => {
    await stack.stop()
    await proxy.close()
  })
  const requests = () => stack.receiver.requestsTo(webhook.path)
  const terminate = (id: string) => stack.temporal.workflow.getHandle(id).terminate('by hand')
  const isSuccess = ({ status }: { status: string }) => status === 'success'

  it('is started again when it had made no attempt', async () => {
    const { worker, temporal } = await startProxiedWorker(stack)
    proxy = temporal
    temporal.stall('toClient')
    await publish(tenant, eventId)
    const { id } = await deliveryOf(stack, eventId)
    const first = await workflowOf(stack, id)
    await kill(worker)
    await terminate(id)
    await stack.startWorker()
    expect(await deliveryWith(stack, eventId, isSuccess)).to.include({ attempts: 1 })
    expect((await workflowOf(stack, id))!.runId).to.not.equal(first!.runId)
    expect(requests()).to.have.length(1)
    await expectSoundRows(stack.db)
  })

  it('is started again by the reconciler when it waited for its next attempt', async () => {
    const started = await startProxiedWorker(stack)
    proxy = started.temporal
    stack.receiver.behave(webhook.path, { failTimes: 1 })
    await publish(tenant, eventId)
    const { id } = await deliveryWith(stack, eventId, ({ attempts }) => attempts === 1)
    await terminate(id)
    expect(await deliveryWith(stack, eventId, isSuccess)).to.include({ attempts: 2 })
    expect(requests()).to.have.length(2)
    expect(started.worker.output()).to.include('queued again')
    await expectSoundRows(stack.db)
  })
})
