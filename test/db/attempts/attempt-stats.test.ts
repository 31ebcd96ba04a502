// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { AttemptStats } from '../../../src/attempts/attempt-stats.ts'
import { Recorder } from '../../../src/attempts/recorder.ts'
import { newId } from '../../../src/domain/ids.ts'
import { readWebhookStats } from '../../../src/operations/webhook/stats.ts'
import { presentStats } from '../../../src/presenters/stats.ts'
import { newLimits } from '../../support/endpoint-limits.ts'
import { answered, insertNewDeliveries, madeAttempt } from '../../support/made-attempts.ts'
import { whileRefused } from '../../support/refused-writes.ts'
import { useOperations } from '../../support/use-operations.ts'

// decision: Statistics of attempts
describe('the statistics of attempts', () => {
  const its = useOperations()
  const { tenant, newWebhook } = its

  /** A webhook, and a worker that records attempts of new deliveries of it. */
  async function setUp() {
    const webhookId = await newWebhook()
    const stats = new AttemptStats(its.deps)
    const attemptLog = { recorded: () => undefined, endpointChanged: () => undefined }
    const recorder = new Recorder(its.deps, { attemptLog, limits: newLimits(its.deps), stats })
    const read = async () => presentStats(await readWebhookStats(its.deps, tenant(), webhookId, '24h')).totals
    return {
      ...{ webhookId, stats, read },
      async record(
        statuses: readonly number[],
        { eventType = 'contact.created', repeats = 1, maxAttempts = 3 } = {},
      ) {
        const ids = statuses.map(() => newId('delivery'))
        await insertNewDeliveries(its.db, tenant(), webhookId, { ids, eventType, maxAttempts })
        const made = ids.map((id, index) =>
          madeAttempt(id, webhookId, answered(statuses[index]!, { durationMs: 70 })),
        )
        const all = Array.from({ length: repeats }, () => made).flat()
        await Promise.all(all.map((one) => recorder.record(one, Date.now() + 10_000)))
      },
    }
  }

  it('are written by a flush, each attempt once, whatever number of workers add to the same hour', async () => {
    const one = await setUp()
    await one.record([200, 200, 500])
    expect(await one.read()).to.include({ attempts: 0, p50_ms: null })
    await one.stats.flush()
    await one.stats.flush()
    expect(await one.read()).to.deep.include({
      ...{ attempts: 3, successes: 2, failures: 1, by_error: {}, p50_ms: 100, p99_ms: 100 },
      by_class: { '2xx': 2, '3xx': 0, '4xx': 0, '5xx': 1, none: 0 },
    })
    const others = Array.from({ length: 8 }, () => new AttemptStats(its.deps))
    await one.record([404])
    await Promise.all([one.stats, ...others].map((stats) => stats.flush()))
    expect(await one.read()).to.include({ attempts: 4 })
  })

  it('count what was recorded and nothing else: an outcome that came too late does not count', async () => {
    const one = await setUp()
    await one.record([500, 200], { repeats: 4 })
    await one.stats.flush()
    expect(await one.read()).to.include({ attempts: 2, successes: 1 })
  })

  // decision: Test events in statistics
  it('leave test events out', async () => {
    const one = await setUp()
    await one.record([200, 500], { eventType: 'test.webhook' })
    await one.stats.flush()
    expect(await one.read()).to.include({ attempts: 0 })
  })

  // decision: Notices of failed deliveries
  it('count the deliveries that failed for good; what a flush could not write is written later', async () => {
    const one = await setUp()
    const failed = () =>
      its.db('webhook_stats_hours').where({ webhook_id: one.webhookId }).pluck<number[]>('failed_deliveries')
    await one.record([500, 200], { maxAttempts: 1 })
    await one.record([500])
    await whileRefused(its.db, 'INSERT ON webhook_stats_hours', () => one.stats.flush())
    await one.record([503, 503], { maxAttempts: 1 })
    await one.record([500], { eventType: 'test.webhook', maxAttempts: 1 })
    await one.stats.flush()
    await one.stats.flush()
    expect(await failed()).to.deep.equal([3])
    expect(await one.read()).to.include({ attempts: 5, successes: 1 })
  })
})
