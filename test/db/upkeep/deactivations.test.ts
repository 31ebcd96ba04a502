// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { addToHours } from '../../../src/db/webhook/hourly-stats.ts'
import type { Db } from '../../../src/db/connection/connection.ts'
import { ofTenant } from '../../../src/db/conditions.ts'
import { newId } from '../../../src/domain/ids.ts'
import { DAY_MS, floorTo, HOUR_MS } from '../../../src/domain/instants.ts'
import type { EndpointHealth } from '../../../src/domain/webhook/health.ts'
import { NONE_COUNTED, type CountedFailures } from '../../../src/domain/webhook/long-failure.ts'
import { NO_FIGURES, withAttempt } from '../../../src/domain/webhook/stats.ts'
import { getWebhook, viewWebhook } from '../../../src/operations/webhook/read.ts'
import { BacklogLimit } from '../../../src/upkeep/backlog-limit.ts'
import { DeliveryFigures } from '../../../src/upkeep/delivery-figures.ts'
import { FailingEndpoints } from '../../../src/upkeep/failing-endpoints.ts'
import { answered } from '../../support/made-attempts.ts'
import { whileOpen } from '../../support/lock-waits.ts'
import { failedStatements } from '../../support/rows-read.ts'
import { noticesAbout } from '../../support/notices.ts'
import { useOperations } from '../../support/use-operations.ts'

const ACTIVE = { isActive: true, deactivatedReason: null }

// decision: Backlog
describe('a webhook for which many deliveries wait', () => {
  const its = useOperations()
  const { tenant, newWebhook, publish, stateOf } = its
  beforeEach(() => its.empty('webhook_counters'))

  const LIMIT = 5
  const DEACTIVATED = { isActive: false, deactivatedReason: 'backlog' }
  const look = () => {
    const deps = its.depsWith({ WEBHOOK_BACKLOG: String(LIMIT) })
    return new BacklogLimit(deps, new DeliveryFigures(deps)).look()
  }

  for (const [when, agoMs, limit] of [
    ['did not recover', undefined, LIMIT],
    ['recovered long ago', 3_600_000, LIMIT],
    ['was activated or recovered a moment ago', 60_000, 2 * LIMIT],
  ] as const)
    it(`is deactivated beyond ${limit} and not at it when it ${when}, and what waits stays`, async () => {
      const id = await newWebhook()
      if (agoMs !== undefined) await its.setHealth(id, { recoveredAt: new Date(Date.now() - agoMs) })
      await publish(limit)
      await look()
      expect(await stateOf(id)).to.deep.equal(ACTIVE)
      await publish(1)
      await look()
      expect(await stateOf(id)).to.deep.equal(DEACTIVATED)
      const open = (await its.rowsOf(id)).filter(({ status }) => status === 'pending')
      expect(open).to.have.length(limit + 1)
    })

  // decision: Locks
  it('is left to the next look while another transaction locks it or its health', async () => {
    for (const [table, column] of Object.entries(PARTS)) {
      const id = await newWebhook()
      await its.setHealth(id, {})
      await publish(LIMIT + 1)
      const lock = (trx: Db) =>
        trx(table)
          .where({ [column]: id })
          .forUpdate()
      const waits = await failedStatements(its.db, () => whileOpen(its.db, lock, look))
      expect([waits, await stateOf(id)], table).to.deep.equal([[], ACTIVE])
      await look()
      expect(await stateOf(id)).to.deep.equal(DEACTIVATED)
    }
  })

  // decision: Suspended companies
  it('is left alone while its company is suspended; its deactivation is in the audit once, with one notice', async () => {
    const id = await newWebhook()
    const waiting = 2 * LIMIT + 1
    await publish(waiting)
    await its.suspend()
    await look()
    expect(await stateOf(id)).to.deep.equal(ACTIVE)
    await its.resume()
    for (let time = 0; time < 2; time++) await look()
    expect(await stateOf(id)).to.deep.equal(DEACTIVATED)
    const entry = `webhook.deactivate ${JSON.stringify({ reason: 'backlog', waiting })}`
    expect((await its.audited(id)).slice(1)).to.deep.equal([entry])
    const [notice, ...others] = await noticesAbout(its.db, id)
    expect(others).to.deep.equal([])
    expect(notice).to.include({ kind: 'webhook_backlog', total: waiting, ...ofTenant(tenant()) })
  })
})

/** The rows of a webhook that another transaction may lock during a look. */
const PARTS = { webhooks: 'id', webhook_health: 'webhook_id' }

/** The time of all looks, so that no hour ends during a test. */
const NOW = new Date()
const ago = (ms: number) => new Date(NOW.getTime() - ms)

// decision: Endpoints that fail for days
describe('a webhook whose endpoint fails for days', () => {
  const its = useOperations()
  const { tenant, audited, stateOf } = its
  /** Just enough failures for the default deactivation after 5 days. */
  const long: CountedFailures = {
    since: ago(5 * DAY_MS + 1_000),
    latestAt: ago(60_000),
    attempts: 50,
    days: 3,
  }
  beforeEach(() => its.empty('webhook_health', 'webhook_stats_hours', 'notices'))

  async function failing(counted: Partial<CountedFailures> = {}): Promise<string> {
    const id = await its.newWebhook()
    await setFailing(id, { ...long, ...counted })
    return id
  }
  const failed = { failingSince: long.since, lastError: 'http_503', probeAt: ago(1_000) }
  const setFailing = (webhookId: string, counted: CountedFailures) =>
    its.setHealth(webhookId, { ...failed, consecutiveFailures: 60, counted })
  const newLooker = (endpointDisableAfterMs = its.deps.config.endpointDisableAfterMs) => {
    const config = { ...its.deps.config, endpointDisableAfterMs }
    return new FailingEndpoints({ ...its.deps, config }, () => Promise.resolve(NOW))
  }
  const look = (endpointDisableAfterMs?: number) => newLooker(endpointDisableAfterMs).look()
  const healthOf = async (id: string): Promise<EndpointHealth> =>
    (await viewWebhook(its.deps, tenant(), await getWebhook(its.deps, tenant(), id))).health
  const noticesOf = (id: string): Promise<object[]> =>
    noticesAbout(its.db, id).select('kind', 'company_id', 'environment', 'at', 'error')
  const DEACTIVATED = { isActive: false, deactivatedReason: 'failing' }

  // decision: Suspended companies
  it('is neither deactivated nor warned about while its company is suspended; then it is, and its owner still sees since when and why', async () => {
    const id = await failing()
    await its.suspend()
    await look()
    expect([await stateOf(id), await noticesOf(id)]).to.deep.equal([ACTIVE, []])
    await its.resume()
    await look()
    expect(await stateOf(id)).to.deep.equal(DEACTIVATED)
    const failed = { failing_since: long.since, failed_attempts: 50, last_error: 'http_503' }
    const entries = await audited(id)
    expect(entries.at(-1)).to.equal(`webhook.deactivate ${JSON.stringify({ reason: 'failing', ...failed })}`)
    const left = { consecutiveFailures: 60, probeAt: null, counted: NONE_COUNTED }
    expect(await healthOf(id)).to.deep.include({ failingSince: long.since, lastError: 'http_503', ...left })
    await look()
    expect(await audited(id)).to.deep.equal(entries)
  })

  // decision: Notices in the transaction of their cause
  it('gets one notice when it is deactivated, and one before, at half of the time, however few attempts failed', async () => {
    const half = { since: ago(2.5 * DAY_MS), attempts: 2, days: 1 }
    const early = await failing({ ...half, since: ago(2.5 * DAY_MS - 1) })
    // Half of the first webhook's time passed long ago, too.
    const [id, warned] = [await failing(), await failing(half)]
    await look()
    const { warnedAt } = await healthOf(warned)
    await look()
    const own = { ...ofTenant(tenant()), error: 'http_503' }
    const warning = (since: Date) => {
      const at = new Date(since.getTime() + 5 * DAY_MS)
      return { kind: 'webhook_disable_warning', ...own, at }
    }
    const disabled = { kind: 'webhook_disabled', ...own, at: long.since }
    expect(await noticesOf(id)).to.deep.equal([warning(long.since!), disabled])
    expect(await noticesOf(warned)).to.deep.equal([warning(half.since)])
    expect(await noticesOf(early)).to.deep.equal([])
    expect(warnedAt).to.be.an.instanceOf(Date)
    expect((await healthOf(warned)).warnedAt).to.deep.equal(warnedAt)
    expect(await stateOf(warned)).to.deep.equal(ACTIVE)
  })

  // decision: Locks
  it('is left to the next look while another transaction locks it or its health, and delays no other', async () => {
    for (const [table, column] of Object.entries(PARTS)) {
      const [locked, free] = [await failing(), await failing()]
      const lock = (trx: Db) =>
        trx(table)
          .where({ [column]: locked })
          .forUpdate()
      const waits = await failedStatements(its.db, () => whileOpen(its.db, lock, () => look()))
      const states = [await stateOf(locked), await stateOf(free)]
      expect([waits, ...states], table).to.deep.equal([[], ACTIVE, DEACTIVATED])
      await look()
      expect(await stateOf(locked)).to.deep.equal(DEACTIVATED)
    }
  })

  const notYet: Readonly<Record<string, Partial<CountedFailures>>> = {
    'fails for less than the time': { since: ago(5 * DAY_MS - HOUR_MS) },
    'failed fewer than 50 attempts': { attempts: 49 },
    'failed on fewer than 3 days': { days: 2 },
    'did not fail within the last hour': { latestAt: ago(HOUR_MS + 60_000) },
    'failed only where our own guard refused its address': NONE_COUNTED,
  }
  for (const [what, counted] of Object.entries(notYet))
    it(`is left alone when it ${what}`, async () => {
      const id = await failing(counted)
      await look()
      expect(await stateOf(id)).to.deep.equal(ACTIVE)
    })

  it('is never deactivated or warned about with ENDPOINT_DISABLE_AFTER=0, nor when it is inactive already', async () => {
    const inactive = await failing()
    await its.setActive(inactive, false)
    await setFailing(inactive, long)
    await look()
    expect(await stateOf(inactive)).to.deep.equal({ isActive: false, deactivatedReason: null })
    const id = await failing({ since: ago(100 * DAY_MS) })
    await look(0)
    expect([await stateOf(id), await noticesOf(id)]).to.deep.equal([ACTIVE, []])
  })

  // decision: When most endpoints fail
  describe('while others fail too', () => {
    /** Makes `count` companies, each with an endpoint that had an attempt in the present hour. */
    const attempted = async (companies: number, status: number) => {
      const figures = withAttempt(NO_FIGURES, answered(status))
      const ids: string[] = []
      for (let company = 0; company < companies; company++) {
        const tenant = { companyId: newId('company'), environment: 'live' } as const
        ids.push(...(await its.insertWebhooks(1, tenant)))
      }
      const entries = ids.sort().map((webhookId) => ({ webhookId, startsAt: floorTo(NOW, HOUR_MS), figures }))
      await addToHours(its.db, 0, entries)
    }
    const held = async () => (await its.deps.metrics.deactivationsHeld.get()).values[0]?.value
    const told = () => its.db('notices').where({ kind: 'most_endpoints_fail' })

    it('is left alone, and nobody is warned, when these are more than half: a metric tells it', async () => {
      const id = await failing()
      await attempted(3, 500)
      await attempted(2, 200)
      const endpoints = newLooker()
      await endpoints.look()
      expect([await stateOf(id), await noticesOf(id), await held()]).to.deep.equal([ACTIVE, [], 1])
      await attempted(1, 200)
      await endpoints.look()
      expect([await stateOf(id), await held()]).to.deep.equal([DEACTIVATED, 0])
    })

    it('is told to the operator alone, once a day, also while nobody is due', async () => {
      await attempted(3, 500)
      await attempted(2, 200)
      const endpoints = newLooker()
      for (const looker of [endpoints, endpoints, newLooker(), newLooker(0)]) await looker.look()
      const [notice, ...others] = await told()
      expect(others).to.deep.equal([])
      const since = new Date(floorTo(NOW, HOUR_MS).getTime() - HOUR_MS)
      const nobodys = { company_id: null, environment: null, target_id: '' }
      expect(notice).to.deep.include({ ...nobodys, total: 3, at: since })
      await its.db('notices').update({ hour: ago(26 * HOUR_MS) })
      await look()
      expect(await told()).to.have.length(2)
    })

    it('is looked for once an hour while nobody is due: that reads every webhook with an attempt', async () => {
      const endpoints = newLooker()
      await endpoints.look()
      await attempted(4, 500)
      await endpoints.look()
      expect(await told()).to.deep.equal([])
      endpoints.rest()
      await endpoints.look()
      expect(await told()).to.have.length(1)
    })
  })
})
