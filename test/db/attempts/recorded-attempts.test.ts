// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import type { PostponedSigns } from '../../../src/attempts/endpoint-signs.ts'
import { recordBatch } from '../../../src/attempts/record-batch.ts'
import { newId } from '../../../src/domain/ids.ts'
import { answered, attemptNew, madeAttempt } from '../../support/made-attempts.ts'
import { useOperations } from '../../support/use-operations.ts'
import type { EndpointLimits } from '../../../src/attempts/endpoint-limits.ts'
import { inBatchTransaction } from '../../../src/db/connection/statements.ts'
import { lockHealth } from '../../../src/db/webhook/endpoint-health.ts'
import { databaseNow } from '../../../src/db/clock.ts'
import { purgeHealth } from '../../../src/db/purge/gone.ts'
import { type EndpointHealth, HEALTHY } from '../../../src/domain/webhook/health.ts'
import { newLimits } from '../../support/endpoint-limits.ts'
import { AttemptStats } from '../../../src/attempts/recorded-attempts.ts'
import { Recorder } from '../../../src/attempts/recorder.ts'
import { readWebhookStats } from '../../../src/operations/webhook/read-stats.ts'
import { presentStats } from '../../../src/presenters/stats.ts'
import { whileRefused } from '../../support/refused-writes.ts'
import { listAttempts } from '../../../src/db/delivery/attempts.ts'
import { findDelivery } from '../../../src/db/delivery/deliveries.ts'
import { listDeliveries } from '../../../src/db/delivery/lists.ts'
import type { AttemptError } from '../../../src/domain/delivery/outcome.ts'

// decision: Endpoints that fail
describe('what recorded attempts tell about their endpoint', () => {
  const its = useOperations()
  const { tenant, newWebhook } = its

  async function endpoint() {
    const webhookId = await newWebhook()
    return {
      id: webhookId,
      health: () => its.db('webhook_health').where({ webhook_id: webhookId }).first(),
      /** Records attempts of new deliveries in one batch. */
      async record(statuses: readonly number[], fields = {}, postponed?: PostponedSigns) {
        const made = await attemptNew(its.db, tenant(), webhookId, statuses, fields)
        return recordBatch(its.database.batchDb, made, postponed)
      },
    }
  }
  const fails = (count: number) => Array.from({ length: count }, () => 500)

  it('counts every one of many batches at once', async () => {
    const one = await endpoint()
    const recordings = await Promise.all(Array.from({ length: 6 }, () => one.record(fails(3))))
    // Batches that found the row locked wrote it later.
    for (const { postponed } of recordings) await recordBatch(its.database.batchDb, [], postponed)
    expect(await one.health()).to.include({ consecutive_failures: 18, counted_failures: 18, counted_days: 1 })
  })

  // decision: Locks
  it('keeps nobody waiting where a worker stands still with the first failure, and neither is lost', async () => {
    const one = await endpoint()
    await inBatchTransaction(its.database.batchDb, async (still) => {
      await lockHealth(still.run, [one.id])
      await one.record([500])
    })
    expect(await one.health()).to.include({ consecutive_failures: 1 })
  })

  it('is written once a second while it goes on failing, and every failure is counted then', async () => {
    const one = await endpoint()
    const setWritten = (at: Date) => its.set('webhook_health', { webhook_id: one.id }, { changed_at: at })
    const first = await one.record(fails(20))
    await setWritten(new Date(Date.now() + 60_000))
    const before = await one.health()
    const second = await one.record(fails(7), {}, first.postponed)
    expect([second.health.size, [...second.postponed.keys()]]).to.deep.equal([0, [one.id]])
    expect(await one.health()).to.deep.equal(before)
    await setWritten(new Date(Date.now() - 2_000))
    const other = await endpoint()
    const third = await other.record([200], {}, second.postponed)
    expect(third.postponed.size).to.equal(0)
    const counted = { consecutive_failures: 27, counted_failures: 27, failed_probes: 0 }
    expect(await one.health()).to.include(counted)
  })

  it('is written at once when it changes, with what waited', async () => {
    const one = await endpoint()
    await one.record(fails(20))
    const { postponed } = await one.record(fails(3))
    const { health } = await one.record([503], { retryAfter: '60' }, postponed)
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
    for (const isActive of [false, true]) {
      await one.record(fails(20))
      await its.setActive(one.id, isActive)
      expect(await one.health()).to.include({ consecutive_failures: 0, probe_at: null })
    }
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

  const kindAfter = async (ms: number, webhookId: string) => {
    nowMs += ms
    await limits.refresh()
    return limits.admission(webhookId).kind
  }

  it('follows what others record, a quarter of a second later, and misses nothing because it has recorded something itself', async () => {
    const id = newId('webhook')
    expect(await kindAfter(0, id)).to.equal('free')
    await its.setHealth(id, FAILING)
    expect(await kindAfter(200, id)).to.equal('free')
    expect(await kindAfter(50, id)).to.equal('wait')
    await its.setHealth(id, {})
    expect(await kindAfter(250, id)).to.equal('free')
    await its.setHealth(id, FAILING)
    const later = new Date((await databaseNow(its.db)).getTime() + 10_000)
    limits.learn(new Map([[newId('webhook'), { ...HEALTHY, recoveredAt: later }]]), later)
    expect(await kindAfter(250, id)).to.equal('wait')
  })

  it('forgets deleted webhooks, whose rows the purge removes', async () => {
    const id = await its.newWebhook()
    await its.setHealth(id, FAILING)
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

  /** A webhook, and a worker that records attempts of its new deliveries. */
  async function setUp() {
    const webhookId = await newWebhook()
    const stats = new AttemptStats(its.deps)
    const none = () => undefined
    const others = { attemptLog: { recorded: none, endpointChanged: none }, recoveries: { recorded: none } }
    const recorder = new Recorder(its.deps, { limits: newLimits(its.deps), stats, ...others })
    return {
      webhookId,
      stats,
      read: async () => presentStats(await readWebhookStats(its.deps, tenant(), webhookId, '24h')).totals,
      async record(statuses: readonly number[], fields = {}) {
        const all = { durationMs: 70, ...fields }
        const made = await attemptNew(its.db, tenant(), webhookId, statuses, all)
        await Promise.all(made.map((one) => recorder.record(one, Infinity)))
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
    const by_class = { '2xx': 2, '3xx': 0, '4xx': 0, '5xx': 1, none: 0 }
    expect(shown).to.deep.include({ p99_ms: 100, by_class })
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

const unreachable = (reason: AttemptError) => ({ kind: 'unreachable' as const, reason, durationMs: 5 })

// decision: `error` is read from the attempts
// decision: Reasons
// decision: `error`
describe('the error code of a delivery', () => {
  const its = useOperations()

  it('is null before the first attempt, then that of the latest one, and null once the endpoint answers, with a failure or half a body too', async () => {
    const { webhookId, id } = await its.delivery({ maxRetries: 9 })
    /** The attempt in the list and the attempt read alone. */
    const errors = async () => {
      const { items } = await listDeliveries(its.db, its.tenant(), webhookId, { limit: 50, page: 1 })
      const found = await findDelivery(its.db, its.tenant(), webhookId, id)
      return [items[0]?.error, found?.error]
    }
    expect(await errors()).to.deep.equal([null, null])
    const outcomes = [
      [unreachable('dns_error'), 'dns_error'],
      [unreachable('tls_error'), 'tls_error'],
      [answered(500), null],
      [unreachable('response_timeout'), 'response_timeout'],
      [answered(500, { error: 'body_cut' }), null],
    ] as const
    for (const [attemptsAtGate, [outcome, code]] of outcomes.entries()) {
      await recordBatch(its.database.batchDb, [madeAttempt(id, webhookId, outcome, { attemptsAtGate })])
      expect(await errors()).to.deep.equal([code, code])
    }
    const { items } = await listAttempts(its.db, its.tenant(), id, { latest: 5, limit: 1 })
    expect(items[0], 'which the attempt tells').to.include({ error: 'body_cut' })
  })
})
