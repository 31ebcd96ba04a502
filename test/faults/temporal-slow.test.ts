import { expect } from 'chai'
import { deliveryWith, isSuccess, newEventId, publish, TAKE_OVER_MS } from '../support/crashes.ts'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import { createGrpcProxyTo } from '../support/grpc-proxy.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { until, untilIs } from '../support/poll.ts'
import type { RunningPart } from '../support/outputs.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { createTcpProxyTo } from '../support/tcp-proxy.ts'
import type { TestTenant } from '../support/tenants.ts'
import { createTestWebhook, type TestWebhook } from '../support/webhooks.ts'

const EVENTS = 100

describe('a Temporal that is slow', function () {
  this.timeout(150_000)
  let stack: Stack
  let tenant: TestTenant
  let webhook: TestWebhook
  before(async () => {
    stack = await startStack({
      workers: 0,
      environment: {
        ...BY_WORKFLOWS,
        WEBHOOK_TIMEOUT: '20s',
        WEBHOOK_CONCURRENCY: '100',
        LOG_LEVEL: 'debug',
      },
      mayLogErrors: true,
    })
  })
  beforeEach(async () => {
    tenant = await stack.tenant()
    webhook = await createTestWebhook(stack, tenant)
  })
  after(() => stack.stop())

  async function publishMany(): Promise<string[]> {
    const ids = Array.from({ length: EVENTS }, newEventId)
    const events = ids.map((id) => ({ id, event: 'contact.created', data: {} }))
    expect((await tenant.request('POST', '/api-v1-events', { events })).status).to.equal(201)
    return ids
  }
  const linesWith = (worker: RunningPart, text: string) =>
    worker
      .output()
      .split('\n')
      .filter((line) => line.includes(text))
  const BEGINS = 'Temporal is slow or away'
  const ENDS = 'Temporal answers again'
  async function gauge(worker: RunningPart): Promise<string | undefined> {
    const text = await (await fetch(`${worker.url}/metrics`)).text()
    return /^webhook_temporal_slow (\d)$/m.exec(text)?.[1]
  }
  async function expectAllDelivered(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      expect(await deliveryWith(stack, id, isSuccess)).to.include({ attempts: 1 })
    }
    expect(stack.receiver.requestsTo(webhook.path)).to.have.length(ids.length)
    await expectSoundRows(stack.db)
  }

  // decision: One back-off for all calls to Temporal
  it('gets one call at a time in place of one for each row, and all calls once it answers in time', async () => {
    const proxy = await createTcpProxyTo(stack.environment['TEMPORAL_ADDRESS']!)
    const worker = await stack.startWorker({ TEMPORAL_ADDRESS: proxy.address })
    try {
      expect(await gauge(worker)).to.equal('0')
      // Longer than the deadline of a call.
      proxy.delay(5_500)
      const ids = await publishMany()
      await untilIs(() => gauge(worker), '1', { withinMs: TAKE_OVER_MS })
      await proxy.pass()
      await untilIs(() => gauge(worker), '0', { withinMs: TAKE_OVER_MS })
      await expectAllDelivered(ids)
      expect(linesWith(worker, BEGINS)).to.have.length(1)
      expect(linesWith(worker, ENDS)).to.have.length(1)
    } finally {
      await worker.stop()
      await proxy.close()
    }
  })

  // decision: One back-off for all calls to Temporal
  it('gets few calls while it answers RESOURCE_EXHAUSTED and a hundred rows wait', async () => {
    const proxy = await createGrpcProxyTo(stack.environment['TEMPORAL_ADDRESS']!)
    const worker = await stack.startWorker({ TEMPORAL_ADDRESS: proxy.address })
    try {
      const warmUp = newEventId()
      await publish(tenant, warmUp)
      await deliveryWith(stack, warmUp, isSuccess)
      const busy = { code: 8, message: 'namespace rate limit exceeded' }
      proxy.refuse((method) => (method === 'StartWorkflowExecution' ? busy : undefined))
      const ids = await publishMany()
      await untilIs(() => gauge(worker), '1', { withinMs: TAKE_OVER_MS })
      // The calls of the first moment are over once all rows are back in the outbox.
      await until(
        () => stack.db('outbox').whereNotNull('lease_owner').count({ held: '*' }).first(),
        (row: { held?: number | string } | undefined) => Number(row?.held) <= 1,
        { withinMs: TAKE_OVER_MS },
      )
      const isRelease = (line: string) => line.includes('a command is put back')
      const releases = () => worker.output().split('\n').filter(isRelease).length
      const before = releases()
      const callsBefore = proxy.calls('StartWorkflowExecution')
      await until(releases, (count) => count > before, { withinMs: 90_000, what: 'a probe' })
      expect(before).to.be.at.most(64 + 3)
      // The SDK repeats each call up to ten times by itself. Without the back-off 64 rows did so at once.
      expect(proxy.calls('StartWorkflowExecution') - callsBefore).to.be.within(1, 3 * 11)
      proxy.refuse(() => undefined)
      await expectAllDelivered([warmUp, ...ids])
      expect(linesWith(worker, BEGINS)).to.have.length(1)
    } finally {
      await worker.stop()
      await proxy.close()
    }
  })
})
