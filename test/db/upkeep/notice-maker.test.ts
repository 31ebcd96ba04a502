// Also on MySQL with direct attempts: its transactions lock rows.
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { SystemDb } from '../../../src/db/connection/connection.ts'
import { addToHours } from '../../../src/db/webhook/hourly-stats.ts'
import { toHealthRow } from '../../../src/db/webhook/health-rows.ts'
import { newId } from '../../../src/domain/ids.ts'
import { DAY_MS, floorTo, HOUR_MS } from '../../../src/domain/instants.ts'
import { HEALTHY, type EndpointHealth } from '../../../src/domain/webhook/health.ts'
import { NONE_COUNTED } from '../../../src/domain/webhook/long-failure.ts'
import { NO_FIGURES } from '../../../src/domain/webhook/stats.ts'
import { NoticeMaker } from '../../../src/upkeep/notice-maker.ts'
import type { SystemDeps } from '../../../src/deps/deps.ts'
import { noticesAbout } from '../../support/notices.ts'
import { countRowsRead } from '../../support/rows-read.ts'
import { useOperations } from '../../support/use-operations.ts'

/** The time of all looks, so that no hour ends during a test. */
const NOW = new Date()
const ago = (ms: number) => new Date(NOW.getTime() - ms)
const ahead = (ms: number) => new Date(NOW.getTime() + ms)
const MINUTE_MS = 60_000

// decision: Notices of failing webhooks
// decision: Notices of keys
// decision: Notices of failed deliveries
// decision: One notice for each cause
describe('notices', () => {
  const its = useOperations()
  const { tenant, newWebhook } = its
  beforeEach(() => its.empty('notices', 'webhook_health', 'webhook_stats_hours', 'api_keys'))

  const maker = (more: Partial<SystemDeps> = {}, now = NOW) =>
    new NoticeMaker({ ...its.deps, ...more }, () => Promise.resolve(now))
  const look = (now?: Date) => maker({}, now).look()
  const about = (targetId: string) => noticesAbout(its.db, targetId)
  const kindsAbout = async (targetId: string) => (await about(targetId)).map(({ kind }) => kind as string)
  const totalsAbout = async (targetId: string) => (await about(targetId)).map(({ total }) => total as number)

  const setHealth = (webhookId: string, fields: Partial<EndpointHealth>) =>
    its.setHealth(webhookId, { consecutiveFailures: 3, lastError: 'http_503', ...fields })
  /** The circuit breaker has let first attempts through one at a time for this long. */
  const probed = (since: Date): Partial<EndpointHealth> => ({ failingSince: since, probeAt: new Date() })
  /** The endpoint fails now and then, and has not succeeded since. */
  const slow = (since: Date): Partial<EndpointHealth> => ({
    failingSince: since,
    counted: { ...NONE_COUNTED, since, latestAt: since, attempts: 3, days: 1 },
  })

  it('tell once for each time that an endpoint has no success for an hour, or its first attempts go one at a time', async () => {
    const [id, early] = [await newWebhook(), await newWebhook()]
    const first = ago(HOUR_MS + MINUTE_MS)
    await setHealth(id, slow(first))
    await setHealth(early, slow(ago(HOUR_MS - MINUTE_MS)))
    await look()
    expect([await kindsAbout(early), await kindsAbout(id)]).to.deep.equal([[], ['webhook_failing']])
    await setHealth(id, { ...slow(first), ...probed(first) })
    await look()
    expect(await kindsAbout(id)).to.deep.equal(['webhook_failing'])
    await setHealth(id, HEALTHY)
    await look()
    await setHealth(id, probed(ago(MINUTE_MS)))
    await look()
    expect(await kindsAbout(id)).to.deep.equal(['webhook_failing', 'webhook_failing'])
  })

  // decision: Suspended companies
  it('tell nothing of a webhook that is inactive or deleted, nor of a failure that is older than the retention, and nothing while the company is suspended', async () => {
    const [inactive, deleted, old] = [await newWebhook(), await newWebhook(), await newWebhook()]
    const failing = [await newWebhook(), await newWebhook()]
    await its.setActive(inactive, false)
    await its.remove(deleted)
    for (const id of [inactive, deleted])
      await setHealth(id, { ...slow(ago(DAY_MS)), ...probed(ago(DAY_MS)) })
    const since = ago((its.deps.config.retentionDays + 1) * DAY_MS)
    await setHealth(old, { ...slow(since), ...probed(since) })
    for (const [index, failure] of [probed, slow].entries())
      await setHealth(failing[index]!, failure(ago(DAY_MS)))
    await its.suspend()
    await look()
    for (const id of [inactive, deleted, old, ...failing]) expect(await kindsAbout(id)).to.deep.equal([])
    await its.resume()
    await look()
    for (const id of failing) expect(await kindsAbout(id)).to.deep.equal(['webhook_failing'])
  })

  const newKey = async (expiresAt: Date) => (await its.keyring.create({ expiresAt })).id

  it('tell of a key from the week and again from the day on before it expires, to the millisecond', async () => {
    const now = ahead(DAY_MS)
    const keyIn = (ms: number) => newKey(new Date(now.getTime() + ms))
    const cases: [number, string[]][] = [
      [7 * DAY_MS + 1, []],
      [7 * DAY_MS, ['key_expires_in_7_days']],
      [DAY_MS + 1, ['key_expires_in_7_days']],
      [DAY_MS, ['key_expires_in_1_day']],
      [1, ['key_expires_in_1_day']],
      [0, []],
    ]
    const ids: string[] = []
    for (const [ms] of cases) ids.push(await keyIn(ms))
    for (let time = 0; time < 2; time++) await look(now)
    for (const [index, [ms, kinds]] of cases.entries())
      expect(await kindsAbout(ids[index]!), `${ms} ms`).to.deep.equal(kinds)
    const [, week = ''] = ids
    const expiresAt = new Date(now.getTime() + DAY_MS / 3)
    await its.keyring.change(week, { expiresAt })
    await look(now)
    const [, latest] = await about(week)
    expect(latest).to.deep.include({ kind: 'key_expires_in_1_day', environment: 'live', at: expiresAt })
  })

  it('tell of the end of a grace period in place of an expiry, and nothing of disabled and revoked keys', async () => {
    const { create, rotate, change, revoke } = its.keyring
    const [rotated, later] = [(await create()).id, (await create()).id]
    const [disabled, revoked] = [await newKey(ahead(DAY_MS / 2)), await newKey(ahead(DAY_MS / 2))]
    await rotate(rotated, '6h')
    await rotate(later, '48h')
    await change(disabled, { isActive: false })
    await revoke(revoked)
    await look()
    expect(await kindsAbout(rotated)).to.deep.equal(['key_grace_ends_in_1_day'])
    for (const id of [later, disabled, revoked]) expect(await kindsAbout(id)).to.deep.equal([])
  })

  const hour = (back: number) => new Date(floorTo(NOW, HOUR_MS).getTime() - back * HOUR_MS)
  const fail = (webhookId: string, failedDeliveries: number, { back = 0, shard = 0 } = {}) =>
    addToHours(its.db, shard, [{ webhookId, startsAt: hour(back), figures: NO_FIGURES, failedDeliveries }])

  it('count the deliveries that failed for good, one notice for each hour, whose number rises', async () => {
    const id = await newWebhook()
    await fail(id, 3)
    await fail(id, 4, { shard: 2 })
    await fail(id, 5, { back: 1 })
    const leader = maker()
    await leader.look()
    await fail(id, 1)
    await leader.look()
    await leader.look()
    const notices = its.db('notices').where({ target_id: id }).orderBy('hour').select('kind', 'hour', 'total')
    const kind = 'deliveries_failed'
    expect(await notices).to.deep.equal([
      { kind, hour: hour(1), total: 5 },
      { kind, hour: hour(0), total: 8 },
    ])
  })

  it('count what failed within a day before a new leader looks, and nothing of a deleted webhook', async () => {
    const [id, deleted] = [await newWebhook(), await newWebhook()]
    await its.remove(deleted)
    await fail(deleted, 1)
    await fail(id, 2, { back: 22 })
    await fail(id, 2, { back: 30 })
    const leader = maker()
    await leader.look()
    await fail(id, 9, { back: 21 })
    await leader.look()
    expect(await totalsAbout(id)).to.deep.equal([2])
    leader.rest()
    await leader.look()
    expect(await totalsAbout(id)).to.deep.equal([2, 9])
    expect(await kindsAbout(deleted)).to.deep.equal([])
  })

  it('are looked for and told although one look among them fails', async () => {
    const { db } = its.database
    const id = await newWebhook()
    await fail(id, 1)
    const key = await newKey(ahead(DAY_MS / 2))
    await db.raw('RENAME TABLE webhook_health TO hidden_health')
    try {
      expect(await look().catch((error: unknown) => error)).to.be.an('error')
    } finally {
      await db.raw('RENAME TABLE hidden_health TO webhook_health')
    }
    const kinds = [await kindsAbout(id), await kindsAbout(key)]
    expect(kinds).to.deep.equal([['deliveries_failed'], ['key_expires_in_1_day']])
    expect(await db('notices').distinct('state').pluck('state')).to.deep.equal(['done'])
  })

  it('are made and told once when several leaders look at once by accident', async () => {
    const ids = await its.insertWebhooks(20)
    for (const id of ids) await setHealth(id, probed(ago(MINUTE_MS)))
    for (const id of ids) await fail(id, 2)
    const told: string[] = []
    const info = ({ kind }: { kind: string }) => told.push(kind)
    const log = { ...its.deps.log, info } as unknown as SystemDeps['log']
    const leaders = Array.from({ length: 4 }, () => maker({ log }))
    await Promise.all(leaders.map((leader) => leader.look()))
    expect(await its.db('notices').whereIn('target_id', ids)).to.have.length(40)
    expect(told).to.have.length(40)
  })

  it('are made once for a cause, and told in one line of the log and in the metric, with ids and codes alone', async () => {
    const [id, since] = [await newWebhook(), ago(MINUTE_MS)]
    await setHealth(id, probed(since))
    const key = await newKey(ahead(DAY_MS / 2))
    const lines: object[] = []
    const info = (facts: object, msg: string) => lines.push({ ...facts, msg })
    const log = { ...its.deps.log, info } as unknown as SystemDeps['log']
    const before = await toldOf('webhook_failing')
    for (let time = 0; time < 2; time++) await maker({ log }).look()
    const [[ofWebhook, ...others], [ofKey]] = await Promise.all([about(id), about(key)])
    expect(others).to.deep.equal([])
    const told = { kind: 'webhook_failing', hour: floorTo(since, HOUR_MS), at: since, error: 'http_503' }
    expect(ofWebhook).to.deep.include({ ...told, company_id: tenant().companyId, environment: 'live' })
    const none = { webhook_id: undefined, key_id: undefined, count: undefined, error: undefined }
    const all = { ...none, msg: 'notice made', company_id: tenant().companyId, environment: 'live' }
    expect(lines).to.have.deep.members([
      { ...all, notice_id: ofWebhook.id, kind: 'webhook_failing', webhook_id: id, error: 'http_503' },
      { ...all, notice_id: ofKey.id, kind: 'key_expires_in_1_day', key_id: key },
    ])
    expect(await toldOf('webhook_failing')).to.equal(before + 1)
  })
  async function toldOf(kind: string): Promise<number> {
    const { values } = await its.deps.metrics.notices.get()
    return values.find(({ labels }) => labels.kind === kind)?.value ?? 0
  }

  // decision: What a look for notices reads
  it('cost a look no more rows for more webhooks, statistics and keys that are well', async () => {
    const { db } = its.database
    const rowsOfLook = () => countRowsRead(db, (trx) => maker({ db: trx }).look())
    const id = await newWebhook()
    await setHealth(id, probed(ago(MINUTE_MS)))
    await fail(id, 1)
    await newKey(ahead(DAY_MS / 2))
    const few = await rowsOfLook()
    await fillHealthy(db, 1_000)
    await db.raw('ANALYZE TABLE webhooks, webhook_health, webhook_stats_hours, api_keys, notices')
    expect(await rowsOfLook()).to.be.at.most(few + 50)
  })
  /** Webhooks with a success in this hour, and keys that expire in a year. */
  async function fillHealthy(db: SystemDb, count: number): Promise<void> {
    const ids = (await its.insertWebhooks(count)).sort()
    const health = ids.map((id) => toHealthRow(id, HEALTHY, NOW))
    const hours = ids.map((webhookId) => ({ webhookId, startsAt: hour(0), figures: NO_FIGURES }))
    const key = (await db('api_keys').first()) as object
    const later = { ...key, expires_at: ahead(365 * DAY_MS) }
    const keys = ids.map(() => ({ ...later, id: newId('apiKey'), key_hash: randomBytes(32) }))
    await db.batchInsert('webhook_health', health, 500)
    await addToHours(db, 0, hours)
    await db.batchInsert('api_keys', keys, 500)
  }
})
