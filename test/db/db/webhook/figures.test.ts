// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import * as counters from '../../../../src/db/webhook/counters.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { insertWebhooks } from '../../../support/webhook-rows.ts'
import { useOperations } from '../../../support/use-operations.ts'
import * as hourly from '../../../../src/db/webhook/hourly-stats.ts'
import { inTransaction } from '../../../../src/db/connection/connection.ts'
import { readStats } from '../../../../src/db/webhook/stats-sums.ts'
import type { AttemptOutcome } from '../../../../src/domain/delivery/outcome.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { DAY_MS, floorTo, HOUR_MS } from '../../../../src/domain/instants.ts'
import * as stats from '../../../../src/domain/webhook/stats.ts'
import { answered } from '../../../support/made-attempts.ts'
import { databaseNow } from '../../../../src/db/clock.ts'
import { STATS_WINDOWS } from '../../../../src/domain/webhook/stats-window.ts'
import * as reads from '../../../../src/operations/webhook/read-stats.ts'

const at = (day: number) => new Date(Date.UTC(2026, 0, day))

describe('counters of a webhook', () => {
  const its = useOperations()
  let id: string
  beforeEach(async () => {
    id = (await insertWebhooks(its.db, its.tenant(), 1, ['contact.created']))[0]!
  })

  const add = (...changes: Omit<counters.CounterChange, 'webhookId'>[]) =>
    counters.addToCounters(
      its.db,
      changes.map((change) => ({ webhookId: id, ...change })),
    )
  const sums = async (owner = its.tenant()) => (await counters.readCounters(its.db, owner, [id])).get(id)
  const NONE = { pending: 0, retrying: 0, success: 0, failed: 0, purgedSuccess: 0, purgedFailed: 0 }

  it('are the sums of all changes, of one batch and of many at once', async () => {
    await add({ changes: { pending: 2 } }, { changes: { pending: 1, failed: 1 } })
    const moves = Array.from({ length: 20 }, () =>
      add({ changes: counters.transition('pending', 'success') }),
    )
    await Promise.all(moves)
    await add({ changes: { purgedSuccess: 3, purgedFailed: 1, retrying: 5 } })
    const moved = { pending: -17, retrying: 5, success: 20, failed: 1, purgedSuccess: 3, purgedFailed: 1 }
    expect(await sums()).to.deep.equal({ ...moved, lastTriggeredAt: null, lastSuccessAt: null })
  })

  for (const [given, shown, other] of [
    ['triggeredAt', 'lastTriggeredAt', 'lastSuccessAt'],
    ['succeededAt', 'lastSuccessAt', 'lastTriggeredAt'],
  ] as const) {
    // decision: Time of the latest success
    it(`show the latest time as ${shown}, in whatever order attempts are counted`, async () => {
      const changed = (day: number, pending = 0) => ({ changes: { pending }, [given]: at(day) })
      await add({ changes: {} }, changed(2), changed(1))
      expect(await sums()).to.deep.include({ ...NONE, [shown]: at(2) })
      // Often enough to meet every one of the rows that the counters are kept in.
      for (let n = 0; n < 60; n++) await add(changed(1, 1), { changes: {} })
      expect(await sums()).to.deep.include({ pending: 60, [shown]: at(2) })
      await add(changed(3))
      expect(await sums()).to.deep.include({ [shown]: at(3), [other]: null })
    })
  }

  it('are shown to the tenant of the webhook alone, and lower the totals of lists by purged deliveries, but not its figures', async () => {
    const counted = { pending: 1, retrying: 2, success: 30, failed: 40 }
    await add({ changes: { ...counted, purgedSuccess: 10, purgedFailed: 5 }, triggeredAt: at(1) })
    for (const other of foreignTenants(its.tenant())) expect(await sums(other)).to.equal(undefined)
    const found = await sums()
    const totals = (['pending', 'retrying', 'success', 'failed'] as const).map((status) =>
      counters.totalOf(found, status),
    )
    expect([...totals, counters.totalOf(found, undefined)]).to.deep.equal([1, 2, 20, 35, 58])
    const shown = { totalDeliveries: 73, successfulDeliveries: 30, failedDeliveries: 40, waiting: 3 }
    expect(counters.toWebhookCounters(found)).to.deep.include(shown)
  })
})

const MONDAY = new Date('2026-01-05T00:00:00.000Z')
const hour = (index: number) => new Date(MONDAY.getTime() + index * HOUR_MS)

// decision: Hours become days
describe('the rows of statistics', () => {
  const its = useOperations()
  let ids: string[]
  beforeEach(async () => {
    await its.empty('webhook_stats_hours', 'webhook_stats_days')
    ids = await insertWebhooks(its.db, its.tenant(), 2, ['contact.created'])
  })

  const blocked: AttemptOutcome = { kind: 'unreachable', reason: 'blocked_address', durationMs: 0 }
  const figures = (...outcomes: AttemptOutcome[]) =>
    outcomes.reduce<stats.AttemptFigures>(stats.withAttempt, stats.NO_FIGURES)
  /** Two attempts of each webhook in every shard of so many hours. */
  async function fill(hours: number): Promise<void> {
    for (let index = 0; index < hours; index++) {
      const entries = [...ids].sort().map((webhookId) => ({
        webhookId,
        startsAt: hour(index),
        figures: figures(answered(200), answered(500)),
      }))
      for (let shard = 0; shard < hourly.STATS_SHARDS; shard++)
        await hourly.addToHours(its.db, shard, entries)
    }
  }
  const sumOf = async (webhookId = ids[0]!, owner = its.tenant()) =>
    (await readStats(its.db, owner, webhookId, MONDAY)).reduce(
      (sum, entry) => stats.addFigures(sum, entry.figures),
      stats.NO_FIGURES,
    )
  const count = async (table: string) => Number((await its.db(table).count({ total: '*' }))[0]?.total)

  it('become days: every attempt is counted once, however often the fold is cut off or runs at once', async () => {
    await fill(30)
    const before = await sumOf()
    expect(stats.attemptsIn(before)).to.equal(30 * hourly.STATS_SHARDS * 2)
    const cut = inTransaction(its.db, async (trx) => {
      await hourly.foldHours(trx, hour(26), 50)
      throw new Error('cut off')
    })
    expect(await cut.catch((error: unknown) => (error as Error).message)).to.equal('cut off')
    let folded = 0
    for (;;) {
      const counts = await Promise.all([1, 2].map(() => hourly.foldHours(its.db, hour(26), 7)))
      folded += counts[0]! + counts[1]!
      if (counts.every((rows) => rows === 0)) break
    }
    expect(folded).to.equal(2 * 26 * hourly.STATS_SHARDS)
    expect([await count('webhook_stats_hours'), await count('webhook_stats_days')]).to.deep.equal([
      2 * 4 * hourly.STATS_SHARDS,
      2 * 2,
    ])
    for (const id of ids) expect(await sumOf(id)).to.deep.equal(before)
  })

  it('of a day that is written late are added to that day', async () => {
    await fill(1)
    await hourly.foldHours(its.db, hour(9), 100)
    await fill(1)
    await hourly.foldHours(its.db, hour(9), 100)
    expect(stats.attemptsIn(await sumOf())).to.equal(2 * hourly.STATS_SHARDS * 2)
    expect(await count('webhook_stats_days')).to.equal(2)
  })

  // decision: When most endpoints fail
  it('tell how many companies had attempts lately, and how many of them got no 2xx from any endpoint', async () => {
    const ofCompany = (count: number) => {
      const tenant = { companyId: newId('company'), environment: 'live' } as const
      return insertWebhooks(its.db, tenant, count, ['contact.created'])
    }
    const [dead, deadToo] = await ofCompany(2)
    const [well, alsoDead] = await ofCompany(2)
    const [[sick], [refused], [early]] = await Promise.all([ofCompany(1), ofCompany(1), ofCompany(1)])
    const outcomes: [string, number, AttemptOutcome[]][] = [
      [dead!, 5, [answered(500), blocked]],
      [deadToo!, 5, [answered(500)]],
      [alsoDead!, 5, [answered(500)]],
      [sick!, 5, [answered(500), answered(200)]],
      [refused!, 5, [blocked]],
      [early!, 4, [answered(500)]],
      [well!, 6, [answered(204)]],
    ]
    for (const [webhookId, index, made] of outcomes) {
      const entry = { webhookId, startsAt: hour(index), figures: figures(...made) }
      await hourly.addToHours(its.db, 0, [entry])
      await hourly.addToHours(its.db, 1, [entry])
    }
    expect(await hourly.readFailingShare(its.db, hour(5))).to.deep.equal({ attempted: 3, failing: 1 })
    expect(await hourly.readFailingShare(its.db, hour(7))).to.deep.equal({ attempted: 0, failing: 0 })
  })
})

describe('reading the statistics of a webhook', () => {
  const its = useOperations()
  const { tenant } = its
  const FAILED = stats.withAttempt(stats.NO_FIGURES, answered(500))

  // decision: Windows of statistics
  it('gives what happened within each window, to the tenant of the webhook alone', async () => {
    const webhookId = await its.newWebhook()
    const { db } = its.database
    const now = await databaseNow(db)
    for (const agoMs of [0, 23 * HOUR_MS, 24 * HOUR_MS, 6 * DAY_MS, 7 * DAY_MS, 29 * DAY_MS, 30 * DAY_MS]) {
      const startsAt = floorTo(new Date(now.getTime() - agoMs), HOUR_MS)
      await hourly.addToHours(db, 2, [{ webhookId, startsAt, figures: FAILED }])
    }
    const attempts = (owner = tenant()) =>
      Promise.all(
        STATS_WINDOWS.map(async (window) =>
          stats.attemptsIn((await reads.readWebhookStats(its.deps, owner, webhookId, window)).totals),
        ),
      )
    expect(await attempts()).to.deep.equal([2, 4, 6])
    for (const other of foreignTenants(tenant())) expect(await attempts(other)).to.deep.equal([0, 0, 0])
  })

  it('adds up those of all webhooks of a tenant, and gives each of a list its own, but none that is deleted', async () => {
    const startsAt = floorTo(await databaseNow(its.db), HOUR_MS)
    const [kept, deleted, other] = [await its.newWebhook(), await its.newWebhook(), await its.newWebhook()]
    for (const webhookId of [kept, deleted, other])
      await hourly.addToHours(its.db, 1, [{ webhookId, startsAt, figures: FAILED }])
    const silent = await its.newWebhook()
    await its.remove(deleted)
    const all = async (owner = tenant()) =>
      stats.attemptsIn((await reads.readTenantStats(its.deps, owner, '24h')).totals)
    const each = async (owner = tenant()) =>
      [...(await reads.readActivityByWebhook(its.deps, owner, [kept, deleted, silent], '24h'))].map(
        ([id, { statistics }]) => [id, stats.attemptsIn(statistics.totals)],
      )
    const found = Object.entries({ [kept]: 1, [silent]: 0 })
    expect([await all(), await each()]).to.deep.equal([2, found])
    for (const foreign of foreignTenants(tenant()))
      expect([await all(foreign), await each(foreign)]).to.deep.equal([0, []])
  })
})
