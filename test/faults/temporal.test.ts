import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { deliveryWith, kill, publish, QUICK_LEASES, TAKE_OVER_MS } from '../support/crashes.js'
import { BY_WORKFLOWS } from '../support/first-attempts.js'
import { requiredEnv } from '../support/environment.js'
import { expectSoundRows } from '../support/invariants.js'
import { readMetric } from '../support/metrics.js'
import { until } from '../support/poll.js'
import { startStack, type Stack } from '../support/stack.js'
import { createTcpProxyTo, type TcpProxy } from '../support/tcp-proxy.js'
import type { TestTenant } from '../support/tenants.js'
import { createTestWebhook, type TestWebhook } from '../support/webhooks.js'

const isSuccess = ({ status }: { status: string }) => status === 'success'
const newEventId = () => `evt_${randomUUID()}`

describe('Temporal lost while running', function () {
  this.timeout(120_000)
  let stack: Stack
  let proxy: TcpProxy
  let client: TestTenant
  let webhook: TestWebhook
  let workerUrl: string
  before(async () => {
    proxy = await createTcpProxyTo(requiredEnv('TEMPORAL_ADDRESS'))
    stack = await startStack({
      environment: { ...QUICK_LEASES, ...BY_WORKFLOWS, TEMPORAL_ADDRESS: proxy.address },
      mayLogErrors: true,
    })
    workerUrl = stack.workers[0]!.url
    client = await stack.tenant()
    webhook = await createTestWebhook(stack, client)
  })
  after(async () => {
    await stack.stop()
    await proxy.close()
  })

  const FAULTS: [string, () => Promise<void> | void][] = [
    ['refuses connections', () => proxy.refuse()],
    ['hangs', () => proxy.stall()],
  ]
  for (const [what, break_] of FAULTS) {
    it(`takes every publish while it ${what}, and delivers once it is back`, async () => {
      stack.receiver.behave(webhook.path, undefined)
      const before = stack.receiver.requestsTo(webhook.path).length
      await break_()
      const ids = Array.from({ length: 20 }, newEventId)
      const startedMs = Date.now()
      for (const id of ids) expect((await publish(client, id)).status).to.equal(201)
      expect(Date.now() - startedMs).to.be.below(5_000)
      await until(
        async () => (await fetch(`${workerUrl}/readyz`)).status,
        (status) => status === 503,
      )
      // The relay has met the fault: it gave a row back after its call had failed.
      await until(
        () => stack.db('outbox').max({ tries: 'tries' }).first(),
        (row: { tries?: number } | undefined) => (row?.tries ?? 0) > 0,
        { withinMs: TAKE_OVER_MS },
      )
      await proxy.pass()
      for (const id of ids) expect(await deliveryWith(stack, id, isSuccess)).to.include({ attempts: 1 })
      expect(stack.receiver.requestsTo(webhook.path).length - before).to.equal(ids.length)
      await until(
        async () => (await fetch(`${workerUrl}/readyz`)).status,
        (status) => status === 200,
      )
      await expectSoundRows(stack.db)
    })
  }

  it('answers a test event with 503 in time and closes its delivery', async () => {
    await proxy.refuse()
    const startedMs = Date.now()
    const answer = await client.request('POST', `/api-v1-webhooks/${webhook.id}/test`)
    await proxy.pass()
    expect([answer.status, answer.body.error.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE'])
    expect(Date.now() - startedMs).to.be.below(6_000)
    const [row] = await stack.db('deliveries').where({ event_type: 'test.webhook' })
    expect(row).to.include({ status: 'failed', closed_reason: 'test_unanswered' })
    const line = `"delivery_id":"${row.id}"[^\n]*"reason":"test_unanswered","msg":"delivery failed"`
    await until(
      () => stack.api.output(),
      (output) => new RegExp(line).test(output),
      { what: 'a line about the delivery that failed' },
    )
    const labels = { outcome: 'failed', reason: 'test_unanswered' }
    expect(await readMetric(stack.api, 'webhook_deliveries_closed_total', labels)).to.equal(1)
  })
})

describe('Temporal that lost its store', function () {
  this.timeout(120_000)
  let stack: Stack
  before(async () => {
    stack = await startStack({
      environment: { ...QUICK_LEASES, RECONCILE_AFTER: '1s' },
      mayLogErrors: true,
    })
  })
  after(() => stack.stop())

  // decision: A Temporal that lost its store
  it('gets back what was registered there while the worker runs on', async () => {
    const tenant = await stack.tenant()
    await createTestWebhook(stack, tenant)
    const namespace = stack.environment['TEMPORAL_NAMESPACE']!
    const { operatorService } = stack.temporal.connection
    const registered = async () =>
      Object.keys((await operatorService.listSearchAttributes({ namespace })).customAttributes).sort()
    const names = ['CompanyId', 'Environment', 'EventId', 'EventType', 'WebhookId']
    expect(await registered()).to.deep.equal(names)
    await operatorService.removeSearchAttributes({ namespace, searchAttributes: names })
    await until(registered, (left) => left.join() === names.join(), { withinMs: TAKE_OVER_MS })
    const eventId = newEventId()
    await publish(tenant, eventId)
    expect(await deliveryWith(stack, eventId, isSuccess)).to.include({ attempts: 1 })
  })

  it('is filled again from the rows: waiting, parked and unstarted deliveries come out', async () => {
    const tenant = await stack.tenant()
    const waiting = await createTestWebhook(stack, tenant, { retry_schedule: [2] })
    const parked = await createTestWebhook(stack, tenant, { events: ['deal.created'], retry_schedule: [1] })
    stack.receiver.behave(waiting.path, { failTimes: 1 })
    stack.receiver.behave(parked.path, { failTimes: 1, status: 410 })
    const [waitingId, parkedId, unstartedId] = [newEventId(), newEventId(), newEventId()]
    await tenant.request('POST', '/api-v1-events', { id: parkedId, event: 'deal.created', data: {} })
    await deliveryWith(stack, parkedId, ({ parked_at }) => parked_at !== null)
    await publish(tenant, waitingId)
    await deliveryWith(stack, waitingId, ({ attempts }) => attempts === 1)
    await kill(stack.workers[0]!)
    await publish(tenant, unstartedId)

    await stack.startWorker({ TEMPORAL_NAMESPACE: `${stack.environment['TEMPORAL_NAMESPACE']!}-new` })
    await deliveryWith(stack, unstartedId, isSuccess)
    expect(await deliveryWith(stack, waitingId, isSuccess)).to.include({ attempts: 2 })
    await tenant.request('PATCH', `/api-v1-webhooks/${parked.id}`, { is_active: true })
    expect(await deliveryWith(stack, parkedId, isSuccess)).to.include({ attempts: 2 })
    expect(stack.receiver.requestsTo(waiting.path)).to.have.length(3)
    expect(stack.receiver.requestsTo(parked.path)).to.have.length(2)
    await expectSoundRows(stack.db)
  })
})
