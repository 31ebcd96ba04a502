// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import type { PostponedSigns } from '../../../src/attempts/endpoint-signs.ts'
import { recordBatch } from '../../../src/attempts/record-batch.ts'
import { newId } from '../../../src/domain/ids.ts'
import { answered, insertNewDeliveries, madeAttempt } from '../../support/made-attempts.ts'
import { useOperations } from '../../support/use-operations.ts'
import type { EndpointLimits } from '../../../src/attempts/endpoint-limits.ts'
import { databaseNow } from '../../../src/db/clock.ts'
import { purgeHealth } from '../../../src/db/purge/gone.ts'
import { type EndpointHealth, HEALTHY } from '../../../src/domain/webhook/health.ts'
import { newLimits } from '../../support/endpoint-limits.ts'
import { AttemptStats } from '../../../src/attempts/attempt-stats.ts'
import { Recorder } from '../../../src/attempts/recorder.ts'
import { readWebhookStats } from '../../../src/operations/webhook/read-stats.ts'
import { presentStats } from '../../../src/presenters/stats.ts'
import { whileRefused } from '../../support/refused-writes.ts'

// decision: Endpoints that fail
describe('what recorded attempts tell about their endpoint', () => {
  const its = useOperations()
  const { tenant, newWebhook } = its

  async function endpoint() {
    const webhookId = await newWebhook()
    type More = { isTest?: boolean; retryAfter?: string; ids?: string[]; postponed?: PostponedSigns }
    return {
      id: webhookId,
      health: () => its.db('webhook_health').where({ webhook_id: webhookId }).first(),
      /** Records attempts of new deliveries in one batch. */
      async record(statuses: readonly number[], more: More = {}) {
        const { isTest = false, retryAfter, postponed } = more
        const ids = more.ids ?? statuses.map(() => newId('delivery'))
        await insertNewDeliveries(its.db, tenant(), webhookId, { ids, isTest })
        const made = ids.map((id, index) =>
          madeAttempt(id, webhookId, answered(statuses[index]!, { retryAfter })),
        )
        return recordBatch(its.database.batchDb, made, postponed)
      },
    }
  }
  const fails = (count: number) => Array.from({ length: count }, () => 500)

  it('counts every one of many batches at once', async () => {
    const one = await endpoint()
    await Promise.all(Array.from({ length: 6 }, () => one.record(fails(3))))
    expect(await one.health()).to.include({ consecutive_failures: 18, counted_failures: 18, counted_days: 1 })
  })

  it('is written once a second while it goes on failing, and every failure is counted then', async () => {
    const one = await endpoint()
    const setWritten = (at: Date) => its.set('webhook_health', { webhook_id: one.id }, { changed_at: at })
    const first = await one.record(fails(20))
    await setWritten(new Date(Date.now() + 60_000))
    const before = await one.health()
    const second = await one.record(fails(7), { postponed: first.postponed })
    expect([second.health.size, [...second.postponed.keys()]]).to.deep.equal([0, [one.id]])
    expect(await one.health()).to.deep.equal(before)
    await setWritten(new Date(Date.now() - 2_000))
    const other = await endpoint()
    const third = await other.record([200], { postponed: second.postponed })
    expect(third.postponed.size).to.equal(0)
    const counted = { consecutive_failures: 27, counted_failures: 27, failed_probes: 0 }
    expect(await one.health()).to.include(counted)
  })

  it('is written at once when it changes, with what waited', async () => {
    const one = await endpoint()
    await one.record(fails(20))
    const { postponed } = await one.record(fails(3))
    const { health } = await one.record([503], { retryAfter: '60', postponed })
    expect(health.get(one.id)?.after).to.include({ consecutiveFailures: 24, lastError: 'http_503' })
    expect((await one.health()).paused_until).to.be.an.instanceOf(Date)
  })

  it('does not depend on test events that fail, but on those that succeed', async () => {
    const one = await endpoint()
    await one.record(fails(25), { isTest: true })
    expect(await one.health()).to.equal(undefined)
    await one.record(fails(25))
    await one.record([200], { isTest: true })
    expect(await one.health()).to.include({ consecutive_failures: 0 })
  })

  it('is forgotten when the webhook is deactivated, activated or deleted or gets a new URL, but with no other change', async () => {
    const one = await endpoint()
    await one.record(fails(20))
    await its.change(one.id, { name: 'another' })
    const failing = await one.health()
    expect([failing.consecutive_failures, failing.probe_at - failing.changed_at]).to.deep.equal([20, 1_000])
    await its.setActive(one.id, false)
    expect(await one.health()).to.include({ consecutive_failures: 0, probe_at: null })
    await one.record(fails(20))
    await its.setActive(one.id, true)
    expect(await one.health()).to.include({ consecutive_failures: 0, probe_at: null })
    await one.record(fails(20), { retryAfter: '60' })
    await its.change(one.id, { url: 'https://other.example.com/' })
    expect(await one.health()).to.include({ consecutive_failures: 0, paused_until: null })
    await its.remove(one.id)
    expect(await one.health()).to.equal(undefined)
  })
})

const FAILING: Partial<EndpointHealth> = { consecutiveFailures: 20, probeAt: new Date('2099-01-01') }

describe('what a worker knows of endpoints that limit their first attempts', () => {
  const its = useOperations()
  let nowMs = 0
  let limits: EndpointLimits
  beforeEach(async () => {
    nowMs = 0
    await its.db('webhook_health').delete()
    limits = newLimits(its.deps, () => nowMs)
  })

  /** What another worker records. */
  const record = its.setHealth
  const kindAfter = async (ms: number, webhookId: string) => {
    nowMs += ms
    await limits.refresh()
    return limits.admission(webhookId).kind
  }

  it('follows what others record, a quarter of a second later, and misses nothing because it has recorded something itself', async () => {
    const id = newId('webhook')
    expect(await kindAfter(0, id)).to.equal('free')
    await record(id, FAILING)
    expect(await kindAfter(200, id)).to.equal('free')
    expect(await kindAfter(50, id)).to.equal('wait')
    await record(id, {})
    expect(await kindAfter(250, id)).to.equal('free')
    await record(id, FAILING)
    const later = new Date((await databaseNow(its.db)).getTime() + 10_000)
    limits.learn(new Map([[newId('webhook'), { ...HEALTHY, recoveredAt: later }]]), later)
    expect(await kindAfter(250, id)).to.equal('wait')
  })

  it('forgets deleted webhooks, whose rows the purge removes', async () => {
    const id = await its.newWebhook()
    await record(id, FAILING)
    expect(await kindAfter(0, id)).to.equal('wait')
    await its.set('webhooks', { id }, { deleted_at: new Date() })
    expect(await purgeHealth(its.db, 10)).to.equal(1)
    expect(await kindAfter(30_000, id)).to.equal('free')
  })
})

// decision: Statistics of attempts
describe('the statistics of attempts', () => {
  const its = useOperations()
  const { tenant, newWebhook } = its

  /** A webhook, and a worker that records attempts of new deliveries of it. */
  async function setUp() {
    const webhookId = await newWebhook()
    const stats = new AttemptStats(its.deps)
    const attemptLog = { recorded: () => undefined, endpointChanged: () => undefined }
    const recorder = new Recorder(its.deps, {
      attemptLog,
      limits: newLimits(its.deps),
      stats,
      recoveries: { recorded: () => undefined },
    })
    const read = async () => presentStats(await readWebhookStats(its.deps, tenant(), webhookId, '24h')).totals
    return {
      webhookId,
      stats,
      read,
      async record(statuses: readonly number[], { isTest = false, repeats = 1, maxAttempts = 3 } = {}) {
        const ids = statuses.map(() => newId('delivery'))
        await insertNewDeliveries(its.db, tenant(), webhookId, { ids, isTest, maxAttempts })
        const made = ids.map((id, index) =>
          madeAttempt(id, webhookId, answered(statuses[index]!, { durationMs: 70 })),
        )
        const all = Array.from({ length: repeats }, () => made).flat()
        await Promise.all(all.map((one) => recorder.record(one, Infinity)))
      },
    }
  }

  it('are written by a flush, each attempt once, whatever number of workers add to the same hour', async () => {
    const one = await setUp()
    await one.record([200, 200, 500])
    expect(await one.read()).to.include({ attempts: 0, p50_ms: null })
    await one.stats.flush()
    await one.stats.flush()
    const shown = await one.read()
    expect(shown).to.deep.include({ attempts: 3, successes: 2, failures: 1, by_error: {}, p50_ms: 83 })
    expect(shown).to.deep.include({ p99_ms: 100 })
    expect(shown).to.deep.include({ by_class: { '2xx': 2, '3xx': 0, '4xx': 0, '5xx': 1, none: 0 } })
    const others = Array.from({ length: 8 }, () => new AttemptStats(its.deps))
    await one.record([404])
    await Promise.all([one.stats, ...others].map((stats) => stats.flush()))
    expect(await one.read()).to.include({ attempts: 4 })
  })

  // decision: Notices of failed deliveries
  // decision: Test events in statistics
  it('count the deliveries that failed for good, and no test events; what a flush could not write is written later', async () => {
    const one = await setUp()
    const failed = () =>
      its.db('webhook_stats_hours').where({ webhook_id: one.webhookId }).pluck<number[]>('failed_deliveries')
    await one.record([500, 200], { maxAttempts: 1 })
    await one.record([500])
    await whileRefused(its.db, 'INSERT ON webhook_stats_hours', () => one.stats.flush())
    await one.record([503, 503], { maxAttempts: 1 })
    await one.record([200, 500], { isTest: true, maxAttempts: 1 })
    await one.stats.flush()
    await one.stats.flush()
    expect(await failed()).to.deep.equal([3])
    expect(await one.read()).to.include({ attempts: 5, successes: 1 })
  })
})
