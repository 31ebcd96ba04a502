// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { listWebhooks, type WebhookFilter } from '../../../../src/db/webhook/lists.ts'
import { changeHealth } from '../../../../src/db/webhook/health-rows.ts'
import * as subscriptions from '../../../../src/db/webhook/subscriptions.ts'
import * as webhooks from '../../../../src/db/webhook/webhooks.ts'
import { HEALTHY } from '../../../../src/domain/webhook/health.ts'
import { failedStatements } from '../../../support/rows-read.ts'
import { useOperations } from '../../../support/use-operations.ts'
import * as counters from '../../../../src/db/webhook/counters.ts'
import * as hourly from '../../../../src/db/webhook/hourly-stats.ts'
import { inTransaction } from '../../../../src/db/connection/connection.ts'
import { readStats } from '../../../../src/db/webhook/stats-sums.ts'
import type { AttemptOutcome } from '../../../../src/domain/delivery/outcome.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { DAY_MS, floorTo, HOUR_MS } from '../../../../src/domain/instants.ts'
import * as stats from '../../../../src/domain/webhook/stats.ts'
import { answered } from '../../../support/made-attempts.ts'
import { databaseNow } from '../../../../src/db/clock.ts'
import * as reads from '../../../../src/operations/webhook/read-stats.ts'

const NOW = new Date('2026-03-01T00:00:00.000Z')
const PAGE = { page: 1, limit: 10 }

describe('webhooks in the database', () => {
  const its = useOperations()

  const insert = async (fields?: Parameters<typeof its.create>[0]) => (await its.create(fields)).webhook
  const find = (id: string) => webhooks.findWebhook(its.db, its.tenant(), id)
  const update = (id: string, change: webhooks.WebhookChange, owner = its.tenant()) =>
    webhooks.updateWebhook(its.db, owner, id, change, new Date('2026-03-02T00:00:00.000Z'))
  const list = async (page = PAGE, filter: WebhookFilter = {}) => {
    const { items, total } = await listWebhooks(its.db, its.tenant(), page, filter)
    return { ids: items.map(({ id }) => id), total }
  }

  it('are listed, counted, changed, subscribed and deleted by their own tenant alone', async () => {
    const { id } = await insert()
    const sealedSecret = () => webhooks.findSealedSecret(its.db, its.tenant(), id)
    const before = [await find(id), await sealedSecret()]
    for (const other of its.foreign()) {
      expect((await listWebhooks(its.db, other, PAGE, {})).items).to.deep.equal([])
      expect(await webhooks.countWebhooks(its.db, other)).to.equal(0)
      await update(id, { name: 'theirs', events: ['deal.deleted'], secretSealed: 'theirs' }, other)
      await subscriptions.insertSubscriptions(its.db, other, id, ['forced'])
      await webhooks.markWebhookDeleted(its.db, other, id, NOW)
      for (const tenant of [other, its.tenant()]) {
        const queries = [{ tenant, eventTypes: ['deal.deleted', 'forced'] }]
        expect(await subscriptions.listSubscribers(its.db, queries)).to.deep.equal([])
      }
    }
    expect([await find(id), await sealedSecret()]).to.deep.equal(before)
  })

  it('are listed and counted by whether they are active, and by a text of name or URL, in which nothing is a wildcard', async () => {
    const { id: named } = await insert({ name: '100 % of Contacts', url: 'https://a.example.com/' })
    const { id: placed } = await insert({ name: 'Deals', url: 'https://contacts.example.com/x_y' })
    const found = async (text: string) => new Set((await list(PAGE, { text })).ids)
    expect(await found('CONTACTS')).to.deep.equal(new Set([named, placed]))
    expect(await found('0 % of')).to.deep.equal(new Set([named]))
    expect(await found('x_y')).to.deep.equal(new Set([placed]))
    for (const text of ['100%', 'x.y', 'Dea_s', '\\'])
      expect(await list(PAGE, { text }), text).to.include({ total: 0 })
    const { id: inactive } = await insert({ isActive: false, name: 'Inactive contacts' })
    const filter = { text: 'contacts', isActive: false }
    expect(await list(PAGE, filter)).to.deep.equal({ ids: [inactive], total: 1 })
    expect(await list(PAGE, { isActive: true })).to.include({ total: 2 })
  })

  // decision: Order of webhooks
  it('are listed over all pages with those before the others that fail or that the service deactivated', async () => {
    const [failing, gone, silent, newest] = await its.insertWebhooks(4, its.tenant(), ['deal.created'])
    const fails = { ...HEALTHY, consecutiveFailures: 1, failingSince: NOW }
    // `silent` fails too, but somebody deactivated it, so it is not first.
    for (const id of [failing, silent]) await changeHealth(its.db, id!, () => fails)
    await its.set('webhooks', { id: silent }, { is_active: false })
    await its.set('webhooks', { id: gone }, { is_active: false, deactivated_reason: 'gone' })
    const pages = [1, 2].map((page) => listWebhooks(its.db, its.tenant(), { page, limit: 2 }, {}, 'unwell'))
    const [first, second] = (await Promise.all(pages)).map(({ items }) => items.map(({ id }) => id))
    expect(new Set(first)).to.deep.equal(new Set([failing, gone]))
    expect(new Set(second)).to.deep.equal(new Set([silent, newest]))
  })
})

const at = (day: number) => new Date(Date.UTC(2026, 0, day))

describe('counters of a webhook', () => {
  const its = useOperations()
  let id: string
  beforeEach(async () => void ([id = ''] = await its.insertWebhooks(1)))

  const add = (...changes: Omit<counters.CounterChange, 'webhookId'>[]) =>
    counters.addToCounters(
      its.db,
      changes.map((change) => ({ webhookId: id, ...change })),
    )
  const sums = async (owner = its.tenant()) => (await counters.readCounters(its.db, owner, [id])).get(id)
  const NONE = { pending: 0, retrying: 0, success: 0, failed: 0, purgedSuccess: 0, purgedFailed: 0 }

  it('are the sums of all changes, of one batch and of many at once', async () => {
    await add({ changes: { pending: 2 } }, { changes: { pending: 1, failed: 1 } })
    const move = { changes: counters.transition('pending', 'success') }
    await Promise.all(Array.from({ length: 20 }, () => add(move)))
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
      // Repeat often enough to use every row among which the counters are split.
      for (let n = 0; n < 60; n++) await add(changed(1, 1), { changes: {} })
      expect(await sums()).to.deep.include({ pending: 60, [shown]: at(2) })
      await add(changed(3))
      expect(await sums()).to.deep.include({ [shown]: at(3), [other]: null })
    })
  }

  it('are shown to the tenant of the webhook alone, and lower the totals of lists by purged deliveries, but not its figures', async () => {
    const counted = { pending: 1, retrying: 2, success: 30, failed: 40 }
    await add({ changes: { ...counted, purgedSuccess: 10, purgedFailed: 5 }, triggeredAt: at(1) })
    for (const other of its.foreign()) expect(await sums(other)).to.equal(undefined)
    const found = await sums()
    const statuses = ['pending', 'retrying', 'success', 'failed', undefined] as const
    const totals = statuses.map((status) => counters.totalOf(found, status))
    expect(totals).to.deep.equal([1, 2, 20, 35, 58])
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
    ids = await its.insertWebhooks(2)
  })

  const blocked: AttemptOutcome = { kind: 'unreachable', reason: 'blocked_address', durationMs: 0 }
  const figures = (...outcomes: AttemptOutcome[]) =>
    outcomes.reduce<stats.AttemptFigures>(stats.withAttempt, stats.NO_FIGURES)
  /** Two attempts of each webhook in every shard of `hours` hours. */
  async function fill(hours: number): Promise<void> {
    for (let index = 0; index < hours; index++) {
      const two = { startsAt: hour(index), figures: figures(answered(200), answered(500)) }
      const entries = [...ids].sort().map((webhookId) => ({ webhookId, ...two }))
      for (let shard = 0; shard < hourly.STATS_SHARDS; shard++)
        await hourly.addToHours(its.db, shard, entries)
    }
  }
  const sumOf = async (webhookId = ids[0]!) =>
    (await readStats(its.db, its.tenant(), webhookId, MONDAY))
      .map(({ figures }) => figures)
      .reduce(stats.addFigures, stats.NO_FIGURES)
  const count = async (table: string) => Number((await its.db(table).count({ total: '*' }))[0]?.total)
  /** Gives the server the statistics of an empty table, as it records them itself when a table fills up later. */
  async function believeEmpty(...tables: string[]): Promise<void> {
    await its
      .db('mysql.innodb_table_stats')
      .whereIn('table_name', tables)
      .whereRaw('database_name = DATABASE()')
      .update({ n_rows: 0, clustered_index_size: 1 })
    for (const table of tables) await its.db.raw(`FLUSH TABLE ${table}`)
  }

  it('become days: every attempt is counted once, however often the fold is cut off or runs at once', async () => {
    await fill(30)
    await believeEmpty('webhook_stats_hours', 'webhook_stats_days')
    const before = await sumOf()
    expect(stats.attemptsIn(before)).to.equal(30 * hourly.STATS_SHARDS * 2)
    let folded = 0
    const foldAll = async () => {
      const cut = inTransaction(its.db, async (trx) => {
        await hourly.foldHours(trx, hour(26), 50)
        throw new Error('cut off')
      })
      expect(await cut.catch(String)).to.equal('Error: cut off')
      for (;;) {
        const counts = await Promise.all([1, 2, 3].map(() => hourly.foldHours(its.db, hour(26), 7)))
        const sum = counts.reduce((total, count) => total + count)
        if (sum === 0) return
        folded += sum
      }
    }
    expect(await failedStatements(its.db, foldAll), 'deadlocks').to.deep.equal([])
    expect(folded).to.equal(2 * 26 * hourly.STATS_SHARDS)
    const counts = [await count('webhook_stats_hours'), await count('webhook_stats_days')]
    expect(counts).to.deep.equal([2 * 4 * hourly.STATS_SHARDS, 2 * 2])
    for (const id of ids) expect(await sumOf(id)).to.deep.equal(before)
  })

  it('of a day that is written late are added to that day', async () => {
    for (let time = 0; time < 2; time++) {
      await fill(1)
      await hourly.foldHours(its.db, hour(9), 100)
    }
    expect(stats.attemptsIn(await sumOf())).to.equal(2 * hourly.STATS_SHARDS * 2)
    expect(await count('webhook_stats_days')).to.equal(2)
  })

  // decision: When most endpoints fail
  it('tell how many companies had attempts lately, and how many of them got no 2xx from any endpoint', async () => {
    const ofCompany = (count: number) =>
      its.insertWebhooks(count, { companyId: newId('company'), environment: 'live' })
    const [[dead, deadToo], [well, alsoDead]] = [await ofCompany(2), await ofCompany(2)]
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
      for (const shard of [0, 1]) await hourly.addToHours(its.db, shard, [entry])
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
        stats.STATS_WINDOWS.map(async (window) =>
          stats.attemptsIn((await reads.readWebhookStats(its.deps, owner, webhookId, window)).totals),
        ),
      )
    expect(await attempts()).to.deep.equal([2, 4, 6])
    for (const other of its.foreign()) expect(await attempts(other)).to.deep.equal([0, 0, 0])
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
    for (const foreign of its.foreign())
      expect([await all(foreign), await each(foreign)]).to.deep.equal([0, []])
  })
})
