// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import { testLimitMs } from '../../src/workflows/contract.ts'
import { deliveryWith, isSuccess, QUICK_LEASES, TAKE_OVER_MS } from '../support/crashes.ts'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import { requiredEnv } from '../support/environment.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { readMetric, linesWith, untilReadinessIs } from '../support/running-parts.ts'
import { untilAtLeast } from '../support/poll.ts'
import { createTcpProxyTo, FAULTS, type TcpProxy } from '../support/tcp-proxy.ts'
import { verdictOf, createTestWebhook, publishMany, type TestWebhook } from '../support/tenants.ts'
import { useStack, type StackInUse } from '../support/use-stack.ts'

/** How long a call to Temporal may take, and how long a test event may take with the time-out of QUICK_LEASES. */
const CALL_MS = 5_000
const LONGEST_TEST_MS = testLimitMs({ webhookTimeoutMs: 3_000 })

describe('Temporal lost while running', function () {
  this.timeout(120_000)
  let proxy: TcpProxy
  before(async () => void (proxy = await createTcpProxyTo(requiredEnv('TEMPORAL_ADDRESS'))))
  const use = useStack(() => ({
    environment: { ...QUICK_LEASES, ...BY_WORKFLOWS, TEMPORAL_ADDRESS: proxy.address },
    mayLogErrors: true,
  }))
  after(() => proxy.stop())
  let { stack, tenant } = {} as StackInUse
  let webhook: TestWebhook
  beforeEach(async () => {
    ;({ stack, tenant } = use)
    webhook = await createTestWebhook(stack, tenant)
  })

  /** Publishes twenty events. Returns their ids and the time that it took. */
  async function publishOneByOne() {
    const startedMs = performance.now()
    const ids: string[] = []
    while (ids.length < 20) ids.push(...(await publishMany(tenant, 1)))
    return { ids, tookMs: performance.now() - startedMs }
  }

  for (const what of ['refuses connections', 'hangs'] as const)
    it(`takes every publish while it ${what}, and delivers once it is back`, async () => {
      const before = await publishOneByOne()
      for (const id of before.ids) await deliveryWith(stack, id, isSuccess)
      await FAULTS[what](proxy)
      const { ids, tookMs } = await publishOneByOne()
      // The publishes took less than the machine's own time plus one call to Temporal.
      expect(tookMs - before.tookMs).to.be.below(CALL_MS)
      await untilReadinessIs(stack.workers[0]!, 503)
      // The relay has met the fault: it put a row back after its call had failed.
      const tried = () => stack.count('outbox', stack.db.raw('tries > 0'))
      await untilAtLeast(tried, 1, { withinMs: TAKE_OVER_MS })
      expect(await readMetric(stack.workers[0]!, 'temporal_request_failure_total')).to.be.above(0)
      await proxy.pass()
      for (const id of ids) expect(await deliveryWith(stack, id, isSuccess)).to.include({ attempts: 1 })
      expect(webhook.requests()).to.have.length(before.ids.length + ids.length)
      await untilReadinessIs(stack.workers[0]!, 200)
      await expectSoundRows(stack.db)
    })

  it('answers a test event with 503 in time and closes its delivery', async () => {
    await proxy.refuse()
    const startedMs = Date.now()
    const answer = await webhook.test()
    await proxy.pass()
    expect(verdictOf(answer)).to.equal('503 SERVICE_UNAVAILABLE')
    expect(Date.now() - startedMs, 'as long as an answer may take').to.be.below(LONGEST_TEST_MS)
    const [row] = await stack.db('deliveries').where({ event_type: 'test.webhook' })
    expect(row).to.include({ status: 'failed', closed_reason: 'test_unanswered' })
    const lines = () => linesWith(stack.api, '"reason":"test_unanswered","msg":"delivery failed"')
    await untilAtLeast(() => lines().length, 1, { what: 'a line about the delivery that failed' })
    expect(lines()[0]).to.include(`"delivery_id":"${row.id}"`)
    const labels = { outcome: 'failed', reason: 'test_unanswered' }
    expect(await readMetric(stack.api, 'webhook_deliveries_closed_total', labels)).to.equal(1)
  })
})
