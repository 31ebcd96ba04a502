// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import type { ApiError } from '../../../../src/domain/errors.ts'
import { RESOURCE_FAMILIES } from '../../../../src/domain/event/resources.ts'
import { publishEvents } from '../../../../src/operations/event/publish.ts'
import { PublishQuota } from '../../../../src/operations/event/publish-quota.ts'
import { changeResource, removeResource } from '../../../../src/operations/resource/change.ts'
import { createResource } from '../../../../src/operations/resource/create.ts'
import { testDeps } from '../../../support/deps.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { statementsOf } from '../../../support/rows-read.ts'
import { useOperations } from '../../../support/use-operations.ts'
import { createEvent } from '../../../../src/domain/event/event.ts'
import type { EventType } from '../../../../src/domain/event/types.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { createLargePublishLimit, sizePublish } from '../../../../src/operations/event/publish-size.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { insertWebhooks } from '../../../support/webhook-rows.ts'

const LIMIT = 200
const MINUTE_MS = 60_000
/** The beginning of a minute. */
const START_MS = Date.UTC(2026, 0, 5, 12)
const REFUSED = `RATE_LIMITED: The company may publish ${LIMIT} events a minute.`

// decision: Publish quota
describe('the quota of published events', () => {
  const its = useOperations()
  const { tenant } = its

  /** Quotas of so many processes, with a clock that the test moves and the statements that they made. */
  function setUp({ limit = LIMIT, processes = 1 } = {}) {
    const clock = { nowMs: START_MS }
    const deps = {
      ...testDeps(its.database, { PUBLISH_PER_MINUTE: String(limit) }),
      databaseClock: { now: () => new Date(clock.nowMs) },
    }
    const quotas = Array.from({ length: processes }, () => new PublishQuota(deps))
    const done = () => Promise.resolve('done')
    return {
      deps,
      clock,
      quotas,
      quota: quotas[0]!,
      spend: (events: number, quota = quotas[0]!) => quota.spend(its.keyring.companyId, events, done),
      taken: async () =>
        (await its.db('publish_quotas').where({ company_id: its.keyring.companyId }).first())?.taken,
    }
  }
  const countStatements = async (work: () => Promise<unknown>) =>
    (await statementsOf(its.db, work)).filter((sql) => sql.includes('publish_quotas')).length

  it('is never exceeded by many processes together, and used up to the last event', async () => {
    const { quotas, spend, taken } = setUp({ processes: 4 })
    const results = await Promise.all(
      Array.from({ length: LIMIT + 50 }, (_, index) => refusalOf(spend(1, quotas[index % 4]))),
    )
    expect(results.filter((result) => result === 'none')).to.have.length.at.most(LIMIT)
    for (const quota of quotas) while ((await refusalOf(spend(1, quota))) === 'none') results.push('none')
    expect(results.filter((result) => result === 'none')).to.have.length(LIMIT)
    expect(new Set(results)).to.deep.equal(new Set(['none', REFUSED]))
    expect(await taken()).to.equal(LIMIT)
  })

  it('costs a twentieth of the statements that publishes are, and none once it is used up or where it is off', async () => {
    const off = setUp({ limit: 0 })
    expect(await countStatements(() => off.spend(100))).to.equal(0)
    const { spend } = setUp({ limit: 2_000 })
    const each = async (times: number) => {
      for (let time = 0; time < times; time++) await refusalOf(spend(1))
    }
    await spend(1)
    expect(await countStatements(() => each(1_899))).to.equal(18)
    await each(200)
    expect(await countStatements(() => each(100))).to.equal(0)
  })

  it('begins anew with each minute, and says how many seconds are left until then', async () => {
    const { clock, spend } = setUp()
    clock.nowMs += 17_000
    for (const size of [100, 100]) await spend(size)
    const refusal = await spend(1).catch((error: unknown) => error as ApiError)
    expect((refusal as ApiError).headers).to.deep.equal({ 'Retry-After': '43' })
    clock.nowMs = START_MS + MINUTE_MS
    expect(await refusalOf(spend(100))).to.equal('none')
  })

  it('is not exceeded by a process whose clock is behind', async () => {
    const ahead = setUp()
    ahead.clock.nowMs += MINUTE_MS
    const behind = setUp()
    for (const size of [100, 60]) await ahead.spend(size)
    expect(await refusalOf(behind.spend(41))).to.equal(REFUSED)
    await behind.spend(40)
    expect(await refusalOf(ahead.spend(1))).to.equal(REFUSED)
  })

  it('counts the events of all records and batches of both environments, and gives refused ones back', async () => {
    const { deps, quota, spend } = setUp()
    const { deals, tasks } = RESOURCE_FAMILIES
    const deal = await createResource(deps, tenant(), deals, { name: 'a' }, { quota })
    await changeResource(deps, tenant(), deals, deal.id, { name: 'b', stage: 'won' }, { quota })
    await removeResource(deps, tenant(), deals, deal.id, { quota })
    const task = await createResource(deps, tenant(), tasks, { name: 'a' }, { quota })
    await changeResource(deps, tenant(), tasks, task.id, { name: 'b' }, { quota })
    expect(await refusalOf(removeResource(deps, tenant(), deals, deal.id, { quota }))).to.match(/^NOT_FOUND/)
    const event = { type: 'contact.created' as const, data: {} }
    const events = Array.from({ length: 95 }, (_, index) => ({ id: `evt_${index}`, ...event }))
    const sandbox = { ...tenant(), environment: 'test' as const }
    await publishEvents(deps, sandbox, events, { quota })
    await publishEvents(deps, sandbox, events, { quota })
    const others = events.map((event) => ({ ...event, data: { changed: true } }))
    expect(await refusalOf(publishEvents(deps, sandbox, others, { quota }))).to.match(/^CONFLICT/)
    await spend(100)
    expect(await refusalOf(spend(1))).to.equal(REFUSED)
  })

  it('keeps what a fault may have published', async () => {
    const { quota, spend } = setUp()
    const fault = quota.spend(its.keyring.companyId, 100, () => Promise.reject(new Error('lost')))
    expect(await fault.catch((error: unknown) => (error as Error).message)).to.equal('lost')
    await spend(100)
    expect(await refusalOf(spend(1))).to.equal(REFUSED)
  })
})

describe('the size of a publish', () => {
  const its = useOperations()
  const { tenant } = its
  const events = (count: number, type: EventType = 'contact.created') =>
    Array.from({ length: count }, () => createEvent({ id: newId('event'), type, data: {}, now: new Date() }))
  const hooks = (count: number, owner = tenant()) => insertWebhooks(its.db, owner, count, ['contact.created'])
  const size = (...given: ReturnType<typeof events>) => sizePublish(its.deps, tenant(), given)

  it('is large beyond 1,000 deliveries; only subscribed types and active webhooks of the tenant make deliveries', async () => {
    const [inactive] = await hooks(26)
    await its.set('webhooks', { id: inactive }, { is_active: false })
    for (const other of foreignTenants(tenant())) await hooks(5, other)
    expect(await size(...events(40))).to.deep.equal({ isLarge: false })
    expect(await size(...events(41))).to.deep.equal({ isLarge: true })
    expect(await size(...events(40), ...events(60, 'task.created'))).to.deep.equal({ isLarge: false })
  })

  // decision: Counting before filters
  it('is refused beyond 10,000 deliveries, whatever filters would drop, and the answer says into how many requests to split it', async () => {
    await hooks(101)
    const filter = JSON.stringify({ 'data.stage': 'won' })
    await its.set('webhooks', { company_id: tenant().companyId }, { filter })
    expect(await refusalOf(size(...events(99)))).to.equal('none')
    expect(await refusalOf(size(...events(100)))).to.equal(
      'VALIDATION_ERROR: The events would make 10100 deliveries, and a request may make 10000: ' +
        'split them into 2 requests or more.',
    )
  })
})

describe('large publishes of a company', () => {
  it('run one after another, 16 wait, and the next one is refused', async () => {
    const limit = createLargePublishLimit()
    let end: () => void = () => undefined
    const held = new Promise<void>((resolve) => (end = resolve))
    let running = 0
    const work = async () => {
      running += 1
      expect(running).to.equal(1)
      await held
      running -= 1
    }
    const admitted = Array.from({ length: 17 }, () => limit.run('com_1', work))
    expect(await refusalOf(limit.run('com_1', work))).to.match(/^RATE_LIMITED: .* more than 1000 deliveries/)
    end()
    await Promise.all(admitted)
  })
})
