// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { publishEvents, sizePublish, type EventInput } from '../../../../src/operations/event/publish.ts'
import { refusalOf, useOperations } from '../../../support/use-operations.ts'
import { createEvent } from '../../../../src/domain/event/event.ts'
import { insertUnlessRepeated } from '../../../../src/operations/event/repeats.ts'
import { untilSomebodyWaitsForLock } from '../../../support/lock-waits.ts'
import type { ApiError } from '../../../../src/domain/errors.ts'
import { RESOURCE_FAMILIES } from '../../../../src/domain/event/resources.ts'
import { PublishQuota } from '../../../../src/operations/minute-limits.ts'
import { changeResource, createResource, removeResource } from '../../../../src/operations/resource/change.ts'
import { statementsOf } from '../../../support/rows-read.ts'
import type { EventType } from '../../../../src/domain/event/catalog.ts'
import { newId } from '../../../../src/domain/ids.ts'

const EVENT: EventInput = { type: 'contact.created', data: { name: 'Ada' } }

// decision: Publishing
describe('publishing events', () => {
  const its = useOperations()
  const { tenant, create, queued } = its
  const publish = (...events: EventInput[]) => publishEvents(its.deps, tenant(), events)
  const deliveries = () => its.own('deliveries').orderBy('webhook_id')
  const countEvents = async () => (await its.own('events').select<unknown[]>()).length

  // decision: max_attempts
  it('makes a pending delivery and a command for each active webhook that subscribes, with its max_retries of that moment', async () => {
    const hooks = [await create({ maxRetries: 2 }), await create({ maxRetries: 0 })]
    await create({ events: ['contact.updated'] })
    await create({ isActive: false })
    await its.remove(await its.newWebhook())
    // Delete as a process of a former release does, which leaves the subscriptions.
    await its.set('webhooks', { id: await its.newWebhook() }, { deleted_at: new Date() })
    const [event] = await publish(EVENT)
    expect(event).to.deep.include({ type: 'contact.created', deliveries: 2, isNew: true })
    const expected = hooks.map(({ webhook: { id, maxRetries } }) => ({
      webhook_id: id,
      event_id: event!.id,
      event_type: 'contact.created',
      status: 'pending',
      max_attempts: maxRetries + 1,
    }))
    const columns = Object.keys(expected[0]!)
    expect(await deliveries().select(columns)).to.have.deep.members(expected)
    expect(await queued()).to.deep.equal(['cancel-webhook', 'start', 'start'])
    for (const { webhook } of hooks) expect(await its.countersOf(webhook.id)).to.include({ waiting: 1 })
  })

  it('answers a repeat with what the first publish answered and delivers nothing, and a batch in its order, whichever of its events are new', async () => {
    await create()
    const chosen = { ...EVENT, id: 'evt_repeated' }
    const [first] = await publish(chosen)
    await create()
    const later = { ...its.deps, clock: () => new Date('2030-01-01T00:00:00.000Z') }
    expect(await publishEvents(later, tenant(), [chosen])).to.deep.equal([{ ...first, isNew: false }])
    expect(await deliveries()).to.have.length(1)
    await publish({ ...EVENT, id: 'evt_b' })
    const published = await publish(...['evt_c', 'evt_b', 'evt_a'].map((id) => ({ ...EVENT, id })))
    const told = published.map(({ id, isNew }) => (isNew ? `new ${id}` : id))
    expect(told).to.deep.equal(['new evt_c', 'evt_b', 'new evt_a'])
  })

  it('refuses a batch whole when an id was published with another content, and names its place', async () => {
    await create()
    await publish({ ...EVENT, id: 'evt_taken' })
    const sentence = 'The event id evt_taken was published with another content.'
    const others = [{ data: { name: 'Grace' } }, { type: 'contact.updated' }, { revision: 1 }] as const
    for (const fields of others) {
      const other = { ...EVENT, id: 'evt_taken', ...fields }
      expect(await refusalOf(publish(EVENT, other))).to.equal(`CONFLICT: events[1]: ${sentence}`)
      expect(await refusalOf(publish(other))).to.equal(`CONFLICT: ${sentence}`)
    }
    expect([await countEvents(), (await deliveries()).length]).to.deep.equal([1, 1])
  })

  it('leaves nothing behind when it is refused, and rings for the relay once its rows can be seen', async () => {
    await create()
    const large = { ...EVENT, data: { text: 'x'.repeat(256 * 1024) } }
    expect(await refusalOf(publish(EVENT, large))).to.match(/^VALIDATION_ERROR: /)
    expect([await countEvents(), await deliveries(), await queued()]).to.deep.equal([0, [], []])
    let seen: Promise<string[]> | undefined
    const doorbell = { ...its.deps.doorbell, ring: () => void (seen = queued()) }
    await publishEvents({ ...its.deps, doorbell }, tenant(), [EVENT])
    expect(await seen).to.deep.equal(['start'])
  })

  // decision: Lists by time
  it('writes no event that was made more than 30 s ago, because a list by time would show it too late', async () => {
    const past = new Date(Date.now() - 31_000)
    const times = [past, new Date(), past, past, new Date()]
    const deps = { ...its.deps, clock: () => times.shift() ?? new Date() }
    expect(await refusalOf(publishEvents(deps, tenant(), [EVENT]))).to.match(/^SERVICE_UNAVAILABLE/)
    expect(await countEvents()).to.equal(0)
  })
})

const stored = (id: string) => createEvent({ id, type: 'contact.created', data: {}, now: new Date() })

// decision: Publishing
describe('a publish of an id that another one is publishing', () => {
  const its = useOperations()
  const { tenant, create } = its

  /** Publishes the id while a transaction that wrote it is open. That transaction then ends as given. */
  async function publishBeside(end: 'commit' | 'rollback', data: object = {}) {
    await create()
    const first = await its.db.transaction()
    await insertUnlessRepeated(first, tenant(), [stored('evt_1'), stored('evt_2')])
    const inputs = ['evt_2', 'evt_3'].map((id) => ({ id, type: 'contact.created' as const, data }))
    const second = publishEvents(its.deps, tenant(), inputs)
    const settled = Promise.allSettled([second])
    await untilSomebodyWaitsForLock(its.db).finally(() => first[end]())
    await settled
    return second
  }
  const eventsOfDeliveries = () => its.own('deliveries').orderBy('id').pluck<string[]>('event_id')

  it('waits for its end, answers what it answered, and delivers only what is new', async () => {
    const published = await publishBeside('commit')
    expect(published.map(({ id, isNew, deliveries }) => [id, isNew, deliveries])).to.deep.equal([
      ['evt_2', false, 0],
      ['evt_3', true, 1],
    ])
    expect(await eventsOfDeliveries()).to.deep.equal(['evt_3'])
  })

  it('is refused whole where the other one had another content', async () => {
    const refusal = 'CONFLICT: events[0]: The event id evt_2 was published with another content.'
    expect(await refusalOf(publishBeside('commit', { other: true }))).to.equal(refusal)
    expect(await eventsOfDeliveries()).to.deep.equal([])
  })

  it('is the first one where the other one is taken back', async () => {
    const published = await publishBeside('rollback')
    expect(published.map(({ isNew }) => isNew)).to.deep.equal([true, true])
    expect(await eventsOfDeliveries()).to.have.members(['evt_2', 'evt_3'])
  })
})

const LIMIT = 200
const MINUTE_MS = 60_000
/** The beginning of a minute. */
const START_MS = Date.UTC(2026, 0, 5, 12)
const REFUSED = `RATE_LIMITED: The company may publish ${LIMIT} events a minute.`

// decision: Publish quota
describe('the quota of published events', () => {
  const its = useOperations()
  const { tenant } = its

  /** Quotas of several processes, with a clock that the test moves, and the statements that they sent. */
  function setUp({ limit = LIMIT, processes = 1 } = {}) {
    const clock = { nowMs: START_MS }
    const databaseClock = { now: () => new Date(clock.nowMs) }
    const deps = { ...its.depsWith({ PUBLISH_PER_MINUTE: String(limit) }), databaseClock }
    const quotas = Array.from({ length: processes }, () => new PublishQuota(deps))
    const spend = (events: number, quota = quotas[0]!) =>
      quota.spend(its.keyring.companyId, events, () => Promise.resolve('done'))
    return { deps, clock, quotas, quota: quotas[0]!, spend }
  }
  const countStatements = async (work: () => Promise<unknown>) =>
    (await statementsOf(its.db, work)).filter((sql) => sql.includes('publish_quotas')).length

  it('is never exceeded by many processes together, and used up to the last event', async () => {
    const { quotas, spend } = setUp({ processes: 4 })
    const spent = Array.from({ length: LIMIT + 50 }, (_, index) => refusalOf(spend(1, quotas[index % 4])))
    const results = await Promise.all(spent)
    expect(results.filter((result) => result === 'none')).to.have.length.at.most(LIMIT)
    for (const quota of quotas) while ((await refusalOf(spend(1, quota))) === 'none') results.push('none')
    expect(results.filter((result) => result === 'none')).to.have.length(LIMIT)
    expect(new Set(results)).to.deep.equal(new Set(['none', REFUSED]))
    const own = its.db('publish_quotas').where({ company_id: its.keyring.companyId })
    expect(await own.pluck('taken')).to.deep.equal([LIMIT])
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
  const hooks = (count: number, owner = tenant()) => its.insertWebhooks(count, owner)
  const size = (...given: ReturnType<typeof events>) => sizePublish(its.deps, tenant(), given)

  it('is large beyond 1,000 deliveries; only subscribed types and active webhooks of the tenant make deliveries', async () => {
    const [inactive, deleted] = await hooks(27)
    await its.set('webhooks', { id: inactive }, { is_active: false })
    // Delete as a process of a former release does, which leaves the subscriptions.
    await its.set('webhooks', { id: deleted }, { deleted_at: new Date() })
    for (const other of its.foreign()) await hooks(5, other)
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
    const refusal =
      /^VALIDATION_ERROR: The events would make 10100 .* 10000: split them into 2 requests or more\.$/
    expect(await refusalOf(size(...events(100)))).to.match(refusal)
  })
})
