// Also on MySQL with direct attempts: its transactions lock rows.
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { addToHours } from '../../../src/db/system/attempt-stats.ts'
import { toHealthRow } from '../../../src/db/webhook/health.ts'
import { newId } from '../../../src/domain/ids.ts'
import { DAY_MS, floorTo, HOUR_MS } from '../../../src/domain/instants.ts'
import { HEALTHY, type EndpointHealth } from '../../../src/domain/webhook/health.ts'
import { NONE_COUNTED } from '../../../src/domain/webhook/long-failure.ts'
import { NO_FIGURES } from '../../../src/domain/webhook/stats.ts'
import type { Deps } from '../../../src/process/deps.ts'
import { NoticeMaker } from '../../../src/relay/notice-maker.ts'
import { noticesAbout } from '../../support/notices.ts'
import { countRowsRead } from '../../support/rows-read.ts'
import { useOperations } from '../../support/use-operations.ts'
import { insertWebhooks } from '../../support/webhook-rows.ts'

const ago = (ms: number) => new Date(Date.now() - ms)
const ahead = (ms: number) => new Date(Date.now() + ms)
const MINUTE_MS = 60_000

describe('notices', () => {
  const its = useOperations()
  const { tenant } = its
  beforeEach(() => its.empty('notices', 'webhook_health', 'webhook_stats_hours', 'api_keys'))

  const maker = (more: Partial<Deps> = {}) => new NoticeMaker({ ...its.deps, ...more })
  const look = () => maker().look()
  const about = (targetId: string) => noticesAbout(its.db, targetId)
  const kindsAbout = async (targetId: string) => (await about(targetId)).map(({ kind }) => kind as string)
  const { newWebhook } = its

  async function setHealth(webhookId: string, fields: Partial<EndpointHealth>): Promise<void> {
    const health = { ...HEALTHY, consecutiveFailures: 3, lastError: 'http_503', ...fields }
    const row = toHealthRow(webhookId, health, new Date())
    await its.db('webhook_health').insert(row).onConflict('webhook_id').merge()
  }
  /** First attempts go one at a time, since so long. */
  const probed = (since: Date): Partial<EndpointHealth> => ({ failingSince: since, probeAt: new Date() })
  /** Fails now and then, and never succeeded since. */
  const slow = (since: Date): Partial<EndpointHealth> => ({
    failingSince: since,
    counted: { ...NONE_COUNTED, since, latestAt: since, attempts: 3, days: 1 },
  })

  // decision: Notices of failing webhooks
  it('tell once of an endpoint whose first attempts go one at a time, whose it is, and why', async () => {
    const id = await newWebhook()
    const since = ago(MINUTE_MS)
    await setHealth(id, probed(since))
    await look()
    await look()
    const [notice, ...others] = await about(id)
    expect(others).to.deep.equal([])
    expect(notice).to.deep.include({
      ...{ kind: 'webhook_failing', company_id: tenant().companyId, environment: 'live' },
      ...{ hour: floorTo(since, HOUR_MS), at: since, error: 'http_503', total: null },
    })
    expect(notice.id).to.match(/^ntc_/)
  })

  // decision: Notices of failing webhooks
  it('tell of an endpoint that had no success for an hour, however few attempts it gets', async () => {
    const [early, late] = [await newWebhook(), await newWebhook()]
    await setHealth(early, slow(ago(HOUR_MS - MINUTE_MS)))
    await setHealth(late, slow(ago(HOUR_MS + MINUTE_MS)))
    await look()
    expect(await kindsAbout(early)).to.deep.equal([])
    expect(await kindsAbout(late)).to.deep.equal(['webhook_failing'])
  })

  // decision: Notices of failing webhooks
  it('tell once for each time that an endpoint fails, by whatever rule it is found', async () => {
    const id = await newWebhook()
    const first = ago(5 * HOUR_MS)
    await setHealth(id, slow(first))
    await look()
    await setHealth(id, { ...slow(first), ...probed(first) })
    await look()
    expect(await kindsAbout(id)).to.deep.equal(['webhook_failing'])
    await setHealth(id, HEALTHY)
    await look()
    await setHealth(id, probed(ago(MINUTE_MS)))
    await look()
    expect(await kindsAbout(id)).to.deep.equal(['webhook_failing', 'webhook_failing'])
  })

  // decision: Notices of failing webhooks
  it('tell nothing of a webhook that is inactive or deleted, nor of a failure that is older than the retention', async () => {
    const [inactive, deleted, old] = [await newWebhook(), await newWebhook(), await newWebhook()]
    await its.setActive(inactive, false)
    await its.remove(deleted)
    for (const id of [inactive, deleted])
      await setHealth(id, { ...slow(ago(DAY_MS)), ...probed(ago(DAY_MS)) })
    const since = ago((its.deps.config.retentionDays + 1) * DAY_MS)
    await setHealth(old, { ...slow(since), ...probed(since) })
    await look()
    for (const id of [inactive, deleted, old]) expect(await kindsAbout(id)).to.deep.equal([])
  })

  // decision: Suspended companies
  it('tell nothing while the company is suspended, because nothing is sent to its endpoints', async () => {
    const ids = [await newWebhook(), await newWebhook()]
    const since = ago(HOUR_MS + MINUTE_MS)
    for (const [index, fields] of [probed(since), slow(since)].entries()) await setHealth(ids[index]!, fields)
    const kinds = async () => (await Promise.all(ids.map(kindsAbout))).flat()
    await its.suspend()
    await look()
    expect(await kinds()).to.deep.equal([])
    await its.resume()
    await look()
    expect(await kinds()).to.deep.equal(['webhook_failing', 'webhook_failing'])
  })

  const hour = (back: number) => new Date(floorTo(new Date(), HOUR_MS).getTime() - back * HOUR_MS)
  const fail = (webhookId: string, failedDeliveries: number, { back = 0, shard = 0 } = {}) =>
    addToHours(its.db, shard, [{ webhookId, startsAt: hour(back), figures: NO_FIGURES, failedDeliveries }])

  // decision: Notices of failed deliveries
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
    const notices = await its.db('notices').where({ target_id: id }).orderBy('hour')
    const shown = notices.map(({ kind, hour: at, total }) => ({ kind: kind as string, at, total }))
    expect(shown).to.deep.equal([
      { kind: 'deliveries_failed', at: hour(1), total: 5 },
      { kind: 'deliveries_failed', at: hour(0), total: 8 },
    ])
  })

  // decision: Notices of failed deliveries
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
    expect((await about(id)).map(({ total }) => total as number)).to.deep.equal([2])
    leader.rest()
    await leader.look()
    expect((await about(id)).map(({ total }) => total as number)).to.deep.equal([2, 9])
    expect(await kindsAbout(deleted)).to.deep.equal([])
  })

  it('count what failed in the hours in which looks of the same leader failed', async () => {
    const id = await newWebhook()
    let hoursAgo = 5
    const leader = new NoticeMaker(its.deps, () => Promise.resolve(ago(hoursAgo * HOUR_MS)))
    await leader.look()
    await fail(id, 4, { back: 3 })
    hoursAgo = 0
    await leader.look()
    expect((await about(id)).map(({ total }) => total as number)).to.deep.equal([4])
  })

  it('are looked for and told although one look among them fails', async () => {
    const { db } = its.database
    const id = await newWebhook()
    await fail(id, 1)
    const key = await newKey(ahead(DAY_MS / 2))
    await db.raw('RENAME TABLE webhook_health TO hidden_health')
    try {
      const failure: unknown = await look().catch((error: unknown) => error)
      expect(failure).to.be.an('error')
    } finally {
      await db.raw('RENAME TABLE hidden_health TO webhook_health')
    }
    expect([await kindsAbout(id), await kindsAbout(key)]).to.deep.equal([
      ['deliveries_failed'],
      ['key_expires_in_1_day'],
    ])
    const states = await db('notices').pluck<string[]>('state')
    expect(new Set(states)).to.deep.equal(new Set(['done']))
  })

  const newKey = async (expiresAt: Date) => (await its.keyring.create({ expiresAt })).id

  // decision: One notice for each cause
  it('are made and told once when several leaders look at once by accident', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, newWebhook))
    for (const id of ids) await setHealth(id, probed(ago(MINUTE_MS)))
    for (const id of ids) await fail(id, 2)
    const told: string[] = []
    const log = {
      ...its.deps.log,
      info: (facts: { webhook_id: string; kind: string }) => told.push(facts.kind),
    }
    const leaders = Array.from({ length: 4 }, () => maker({ log: log as unknown as Deps['log'] }))
    await Promise.all(leaders.map((leader) => leader.look()))
    const rows = await its.db('notices').whereIn('target_id', ids)
    expect(rows).to.have.length(40)
    expect(told).to.have.length(40)
  })

  // decision: One notice for each cause
  it('are told in one line of the log and in the metric, with ids and codes alone', async () => {
    const id = await newWebhook()
    await setHealth(id, probed(ago(MINUTE_MS)))
    const key = await newKey(ahead(DAY_MS / 2))
    const lines: object[] = []
    const log = { ...its.deps.log, info: (facts: object, msg: string) => lines.push({ ...facts, msg }) }
    const before = await toldOf('webhook_failing')
    await maker({ log: log as unknown as Deps['log'] }).look()
    await maker({ log: log as unknown as Deps['log'] }).look()
    const ids = { company_id: tenant().companyId, environment: 'live' }
    const [ofWebhook, ofKey] = [(await about(id))[0], (await about(key))[0]]
    const none = { webhook_id: undefined, key_id: undefined, count: undefined, error: undefined }
    expect(lines).to.have.deep.members([
      {
        ...{ ...none, ...ids, notice_id: ofWebhook.id, kind: 'webhook_failing', webhook_id: id },
        ...{ error: 'http_503', msg: 'notice made' },
      },
      {
        ...{ ...none, ...ids, notice_id: ofKey.id, kind: 'key_expires_in_1_day', key_id: key },
        msg: 'notice made',
      },
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
    const id = await newWebhook()
    await setHealth(id, probed(ago(MINUTE_MS)))
    await fail(id, 1)
    await newKey(ahead(DAY_MS / 2))
    const few = await rowsOfLook()
    await fillHealthy(1_000)
    await db.raw('ANALYZE TABLE webhooks, webhook_health, webhook_stats_hours, api_keys, notices')
    expect(await rowsOfLook()).to.be.at.most(few + 50)
  })
  async function rowsOfLook(): Promise<number> {
    return countRowsRead(its.db, (db) => maker({ db }).look())
  }
  /** Webhooks with a success in this hour, and keys that expire in a year. */
  async function fillHealthy(count: number): Promise<void> {
    const { db } = its.database
    const ids = await insertWebhooks(db, tenant(), count, ['contact.created'])
    const health = ids.map((id) => toHealthRow(id, HEALTHY, new Date()))
    const hours = [...ids].sort().map((webhookId) => ({ webhookId, startsAt: hour(0), figures: NO_FIGURES }))
    const key = (await db('api_keys').first()) as object
    for (let from = 0; from < count; from += 500) {
      await db('webhook_health').insert(health.slice(from, from + 500))
      await addToHours(db, 0, hours.slice(from, from + 500))
      const keys = ids.slice(from, from + 500).map(() => ({
        ...{ ...key, id: newId('apiKey'), key_hash: randomBytes(32), expires_at: ahead(365 * DAY_MS) },
      }))
      await db('api_keys').insert(keys)
    }
  }
})
