import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import {
  deliveryOf,
  deliveryWith,
  kill,
  outboxRows,
  publish,
  startProxiedWorker,
  TAKE_OVER_MS,
  workflowOf,
} from '../support/crashes.js'
import { expectSoundRows } from '../support/invariants.js'
import { startStack, type Stack } from '../support/stack.js'
import type { TcpProxy } from '../support/tcp-proxy.js'
import type { TestTenant } from '../support/tenants.js'
import { createTestWebhook, type TestWebhook } from '../support/webhooks.js'

describe('crash of a worker around an attempt', function () {
  this.timeout(120_000)
  let stack: Stack
  let tenant: TestTenant
  let webhook: TestWebhook
  let eventId: string
  let proxy: TcpProxy | undefined
  beforeEach(async () => {
    stack = await startStack({ workers: 0, environment: { WEBHOOK_TIMEOUT: '1s' }, mayLogErrors: true })
    tenant = await stack.tenant()
    webhook = await createTestWebhook(stack, tenant)
    eventId = `evt_${randomUUID()}`
  })
  afterEach(async () => {
    await stack.stop()
    await proxy?.close()
    proxy = undefined
  })
  const requests = () => stack.receiver.requestsTo(webhook.path)
  const isSuccess = ({ status }: { status: string }) => status === 'success'

  it('starts one workflow when the worker dies after the start and before the outbox row goes', async () => {
    const { worker, temporal } = await startProxiedWorker(stack)
    proxy = temporal
    temporal.stall('toClient')
    await publish(tenant, eventId)
    const { id } = await deliveryOf(stack, eventId)
    const first = await workflowOf(stack, id)
    await kill(worker)
    await outboxRows(stack, id, 1)
    expect(requests()).to.deep.equal([])

    await stack.startWorker()
    await deliveryWith(stack, eventId, isSuccess)
    await outboxRows(stack, id, 0)
    const ended = await workflowOf(stack, id, ({ status }) => status.name === 'COMPLETED')
    expect(ended!.runId).to.equal(first!.runId)
    expect(requests()).to.have.length(1)
    await expectSoundRows(stack.db)
  })

  it('sends again under the same webhook-id when the worker dies with bytes on the wire', async () => {
    stack.receiver.behave(webhook.path, { hang: true })
    const worker = await stack.startWorker()
    await publish(tenant, eventId)
    await stack.receiver.next(webhook.path)
    await kill(worker)
    expect(await deliveryOf(stack, eventId)).to.include({ status: 'pending', attempts: 0 })

    stack.receiver.behave(webhook.path, undefined)
    await stack.startWorker()
    const again = await stack.receiver.next(webhook.path, { timeoutMs: TAKE_OVER_MS })
    expect(again.headers['webhook-id']).to.equal(eventId)
    expect(again.verified).to.equal(true)
    expect(await deliveryWith(stack, eventId, isSuccess)).to.include({ attempts: 1 })
    expect(requests()).to.have.length(2)
    await expectSoundRows(stack.db)
  })

  it('sends the only attempt of a webhook without retries again when it died with its worker', async () => {
    const strict = await createTestWebhook(stack, tenant, { events: ['deal.created'], max_retries: 0 })
    stack.receiver.behave(strict.path, { hang: true })
    const worker = await stack.startWorker()
    await tenant.request('POST', '/api-v1-events', { id: eventId, event: 'deal.created', data: {} })
    await stack.receiver.next(strict.path)
    await kill(worker)
    stack.receiver.behave(strict.path, undefined)
    await stack.startWorker()
    expect(await deliveryWith(stack, eventId, isSuccess)).to.include({ attempts: 1, max_attempts: 1 })
    await expectSoundRows(stack.db)
  })

  it('sends nothing more when the worker dies after recording and before Temporal hears of it', async () => {
    stack.receiver.behave(webhook.path, { delayMs: 300 })
    const { worker, temporal } = await startProxiedWorker(stack)
    proxy = temporal
    await publish(tenant, eventId)
    await stack.receiver.next(webhook.path)
    temporal.stall()
    const { id } = await deliveryWith(stack, eventId, isSuccess)
    await kill(worker)
    expect((await workflowOf(stack, id))!.status.name).to.equal('RUNNING')

    await stack.startWorker()
    const ended = await workflowOf(stack, id, ({ status }) => status.name !== 'RUNNING')
    expect(ended!.status.name).to.equal('COMPLETED')
    expect(requests()).to.have.length(1)
    expect(await deliveryOf(stack, eventId)).to.include({ status: 'success', attempts: 1 })
    await expectSoundRows(stack.db)
  })

  it('keeps to the recorded delay when the worker dies after recording a failure', async () => {
    await tenant.request('PATCH', `/api-v1-webhooks/${webhook.id}`, { retry_schedule: [25] })
    stack.receiver.behave(webhook.path, { delayMs: 300, failTimes: 1 })
    const { worker, temporal } = await startProxiedWorker(stack)
    proxy = temporal
    await publish(tenant, eventId)
    await stack.receiver.next(webhook.path)
    temporal.stall()
    const failed = await deliveryWith(stack, eventId, ({ attempts }) => attempts === 1)
    await kill(worker)

    await stack.startWorker()
    const second = await stack.receiver.next(webhook.path, { timeoutMs: TAKE_OVER_MS })
    const dueAt = (failed as { next_retry_at: Date }).next_retry_at
    expect(second.receivedAt.getTime()).to.be.at.least(dueAt.getTime() - 500)
    await deliveryWith(stack, eventId, isSuccess)
    expect(requests()).to.have.length(2)
    await expectSoundRows(stack.db)
  })
})
