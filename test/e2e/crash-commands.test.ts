import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import {
  deliveryOf,
  deliveryWith,
  kill,
  outboxRows,
  publish,
  startProxiedWorker,
  workflowOf,
} from '../support/crashes.js'
import { expectSoundRows } from '../support/invariants.js'
import { until } from '../support/poll.js'
import { startStack, type Stack } from '../support/stack.js'
import type { TcpProxy } from '../support/tcp-proxy.js'
import type { TestTenant } from '../support/tenants.js'
import { createTestWebhook, type TestWebhook } from '../support/webhooks.js'

describe('crash around a command to a running delivery', function () {
  this.timeout(120_000)
  let stack: Stack
  let tenant: TestTenant
  let webhook: TestWebhook
  let eventId: string
  let proxy: TcpProxy | undefined
  beforeEach(async () => {
    stack = await startStack({ workers: 0, environment: { WEBHOOK_TIMEOUT: '1s' }, mayLogErrors: true })
    tenant = await stack.tenant()
    webhook = await createTestWebhook(stack, tenant, { retry_schedule: [600] })
    stack.receiver.behave(webhook.path, { status: 500 })
    eventId = `evt_${randomUUID()}`
  })
  afterEach(async () => {
    await stack.stop()
    await proxy?.close()
    proxy = undefined
  })
  const requests = () => stack.receiver.requestsTo(webhook.path)

  /** Publishes, and waits until the first attempt failed and the second is ten minutes away. */
  async function backOff(): Promise<string> {
    await publish(tenant, eventId)
    const { id } = await deliveryWith(stack, eventId, ({ attempts }) => attempts === 1)
    return id as string
  }

  const retry = (id: string) =>
    tenant.request('POST', `/api-v1-webhooks/${webhook.id}/deliveries/${id}/retry`)

  const isClosed = ({ status }: { status: { name: string } }) => status.name !== 'RUNNING'

  it('makes the attempt of a retry that was accepted when the worker died before its call arrived', async () => {
    const { worker, temporal } = await startProxiedWorker(stack)
    proxy = temporal
    const id = await backOff()
    temporal.stall('toServer')
    expect((await retry(id)).status).to.equal(200)
    await until(
      () => outboxRows(stack, id, 1),
      ([row]) => row.lease_owner !== null,
    )
    await kill(worker)
    expect(requests()).to.have.length(1)

    stack.receiver.behave(webhook.path, undefined)
    await stack.startWorker()
    expect(await deliveryWith(stack, eventId, ({ status }) => status === 'success')).to.include({
      attempts: 2,
    })
    expect(requests()).to.have.length(2)
    await expectSoundRows(stack.db)
  })

  it('makes one attempt of a retry whose call arrived and is repeated', async () => {
    const { worker, temporal } = await startProxiedWorker(stack)
    proxy = temporal
    const id = await backOff()
    temporal.stall('toClient')
    await retry(id)
    await until(
      () => countSignals(id),
      (count) => count === 1,
      { what: 'the signal in the history' },
    )
    await kill(worker)
    await outboxRows(stack, id, 1)

    await stack.startWorker()
    await deliveryWith(stack, eventId, ({ attempts }) => attempts === 2)
    await outboxRows(stack, id, 0)
    expect(await countSignals(id)).to.equal(2)
    // The repeated signal is history now: a delivery published after it is served after it.
    const later = `evt_${randomUUID()}`
    await publish(tenant, later)
    await deliveryWith(stack, later, ({ attempts }) => attempts === 1)
    expect(requests().filter(({ headers }) => headers['webhook-id'] === eventId)).to.have.length(2)
    expect(await deliveryOf(stack, eventId)).to.include({ status: 'retrying', attempts: 2, max_attempts: 7 })
    await expectSoundRows(stack.db)
  })

  it('cancels the open deliveries of a deleted webhook when the worker died before its calls arrived', async () => {
    const { worker, temporal } = await startProxiedWorker(stack)
    proxy = temporal
    const id = await backOff()
    temporal.stall('toServer')
    await tenant.request('DELETE', `/api-v1-webhooks/${webhook.id}`)
    await until(
      () => outboxRows(stack, webhook.id, 1),
      ([row]) => row.lease_owner !== null,
    )
    await kill(worker)
    await stack.startWorker()
    expect((await workflowOf(stack, id, isClosed))!.status.name).to.equal('CANCELLED')
    await outboxRows(stack, webhook.id, 0)
    expect(await deliveryOf(stack, eventId)).to.include({
      status: 'failed',
      closed_reason: 'webhook_deleted',
    })
    expect(requests()).to.have.length(1)
    await expectSoundRows(stack.db)
  })

  it('sends out the parked deliveries when the worker died while it resumed the webhook', async () => {
    const { worker, temporal } = await startProxiedWorker(stack)
    proxy = temporal
    await tenant.request('PATCH', `/api-v1-webhooks/${webhook.id}`, { retry_schedule: [1] })
    await backOff()
    await tenant.request('PATCH', `/api-v1-webhooks/${webhook.id}`, { is_active: false })
    await deliveryWith(stack, eventId, ({ parked_at }) => parked_at !== null)
    temporal.stall('toServer')
    stack.receiver.behave(webhook.path, undefined)
    await tenant.request('PATCH', `/api-v1-webhooks/${webhook.id}`, { is_active: true })
    await deliveryWith(stack, eventId, ({ parked_at }) => parked_at === null)
    await kill(worker)
    await stack.startWorker()
    await deliveryWith(stack, eventId, ({ status }) => status === 'success')
    expect(requests()).to.have.length(2)
    await expectSoundRows(stack.db)
  })

  async function countSignals(id: string): Promise<number> {
    const { events } = await stack.temporal.workflow.getHandle(id).fetchHistory()
    return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes).length
  }
})
