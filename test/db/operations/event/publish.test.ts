// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { readCounters, totalOf } from '../../../../src/db/webhook/counters.ts'
import { type EventInput, publishEvents } from '../../../../src/operations/event/publish.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { useOperations } from '../../../support/use-operations.ts'
import { createEvent } from '../../../../src/domain/event/event.ts'
import { insertUnlessRepeated } from '../../../../src/operations/event/repeats.ts'
import { untilSomebodyWaitsForLock } from '../../../support/lock-waits.ts'

const EVENT: EventInput = { type: 'contact.created', data: { name: 'Ada' } }

// decision: Publishing
describe('publishing events', () => {
  const its = useOperations()
  const { tenant, create, queued } = its
  const publish = (...events: EventInput[]) => publishEvents(its.deps, tenant(), events)
  const deliveries = () =>
    its.db('deliveries').where({ company_id: tenant().companyId }).orderBy('webhook_id')
  const countEvents = async () =>
    ((await its.db('events').where({ company_id: tenant().companyId })) as unknown[]).length

  it('makes a pending delivery and a command for each active webhook that subscribes', async () => {
    const hooks = [await create({ maxRetries: 2 }), await create({ maxRetries: 0 })]
    await create({ events: ['contact.updated'] })
    await create({ isActive: false })
    const deleted = await create()
    await its.remove(deleted.webhook.id)
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
    for (const { webhook } of hooks) {
      const counters = await readCounters(its.db, tenant(), [webhook.id])
      expect(totalOf(counters.get(webhook.id), 'pending')).to.equal(1)
    }
  })

  it('answers a repeat with what the first publish answered, and delivers nothing', async () => {
    await create()
    const chosen = { ...EVENT, id: 'evt_repeated' }
    const [first] = await publish(chosen)
    await create()
    const later = { ...its.deps, clock: () => new Date('2030-01-01T00:00:00.000Z') }
    expect(await publishEvents(later, tenant(), [chosen])).to.deep.equal([{ ...first, isNew: false }])
    expect(await deliveries()).to.have.length(1)
  })

  it('answers in the order of the batch, whichever of its events are new', async () => {
    await publish({ ...EVENT, id: 'evt_b' })
    const published = await publish(...['evt_c', 'evt_b', 'evt_a'].map((id) => ({ ...EVENT, id })), {
      type: 'task.created',
      data: {},
    })
    const told = published.map(({ id, isNew }) => (isNew ? `new ${id}` : id))
    expect(told.slice(0, 3)).to.deep.equal(['new evt_c', 'evt_b', 'new evt_a'])
    expect(published[3]).to.include({ type: 'task.created', isNew: true })
  })

  it('refuses a batch whole when an id was published with another content, and names its place', async () => {
    await create()
    await publish({ ...EVENT, id: 'evt_taken' })
    const others: EventInput[] = [
      { ...EVENT, id: 'evt_taken', data: { name: 'Grace' } },
      { ...EVENT, id: 'evt_taken', type: 'contact.updated' },
      { ...EVENT, id: 'evt_taken', revision: 1 },
    ]
    for (const other of others) {
      expect(await refusalOf(publish(EVENT, other))).to.equal(
        'CONFLICT: events[1]: The event id evt_taken was published with another content.',
      )
      expect(await refusalOf(publish(other))).to.equal(
        'CONFLICT: The event id evt_taken was published with another content.',
      )
    }
    expect([await countEvents(), (await deliveries()).length]).to.deep.equal([1, 1])
  })

  // decision: max_attempts
  it('goes by the max_retries that the webhook has at that moment', async () => {
    const { webhook } = await create({ maxRetries: 1 })
    await publish(EVENT)
    await its.change(webhook.id, { maxRetries: 7 })
    await publish(EVENT)
    expect(await deliveries().orderBy('max_attempts').pluck('max_attempts')).to.deep.equal([2, 8])
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

const stored = (id: string, data: object = {}) =>
  createEvent({ id, type: 'contact.created', data, now: new Date('2026-03-01T00:00:00.000Z') })

// decision: Publishing
describe('a publish of an id that another one is publishing', () => {
  const its = useOperations()
  const { tenant, create } = its

  /** Publishes the id while a transaction that wrote it is open, which then ends as given. */
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
  const eventsOfDeliveries = (): Promise<string[]> =>
    its.db('deliveries').where({ company_id: tenant().companyId }).orderBy('id').pluck('event_id')

  it('waits for its end, answers what it answered, and delivers only what is new', async () => {
    const published = await publishBeside('commit')
    expect(published.map(({ id, isNew, deliveries }) => [id, isNew, deliveries])).to.deep.equal([
      ['evt_2', false, 0],
      ['evt_3', true, 1],
    ])
    expect(await eventsOfDeliveries()).to.deep.equal(['evt_3'])
  })

  it('is refused whole where the other one had another content', async () => {
    expect(await refusalOf(publishBeside('commit', { other: true }))).to.equal(
      'CONFLICT: events[0]: The event id evt_2 was published with another content.',
    )
    expect(await eventsOfDeliveries()).to.deep.equal([])
  })

  it('is the first one where the other one is taken back', async () => {
    const published = await publishBeside('rollback')
    expect(published.map(({ isNew }) => isNew)).to.deep.equal([true, true])
    expect(await eventsOfDeliveries()).to.have.members(['evt_2', 'evt_3'])
  })
})
