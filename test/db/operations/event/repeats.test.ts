import { expect } from 'chai'
import { createEvent } from '../../../../src/domain/event/event.ts'
import { publishEvents } from '../../../../src/operations/event/publish.ts'
import { findKnown, insertUnlessRepeated } from '../../../../src/operations/event/repeats.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { untilSomebodyWaitsForLock } from '../../../support/lock-waits.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { useOperations } from '../../../support/use-operations.ts'

const stored = (id: string, data: object = {}) =>
  createEvent({ id, type: 'contact.created', data, now: new Date('2026-03-01T00:00:00.000Z') })

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

  // decision: Publishing
  it('waits for its end, answers what it answered, and delivers only what is new', async () => {
    const published = await publishBeside('commit')
    expect(published.map(({ id, isNew, deliveries }) => [id, isNew, deliveries])).to.deep.equal([
      ['evt_2', false, 0],
      ['evt_3', true, 1],
    ])
    expect(await eventsOfDeliveries()).to.deep.equal(['evt_3'])
  })

  // decision: Publishing
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

describe('events that were published before', () => {
  const its = useOperations()
  const { tenant } = its
  const insert = (...ids: string[]) =>
    its.db.transaction((trx) =>
      insertUnlessRepeated(
        trx,
        tenant(),
        ids.map((id) => stored(id)),
      ),
    )
  const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id)

  it('are told from new ones, of which only the new ones are written', async () => {
    await insert('evt_2', 'evt_4')
    const { fresh, repeated } = await insert('evt_1', 'evt_2', 'evt_3', 'evt_4')
    expect([idsOf(fresh), idsOf(repeated).sort()]).to.deep.equal([
      ['evt_1', 'evt_3'],
      ['evt_2', 'evt_4'],
    ])
  })

  it('are found among the ids that the caller chose, and only those of the tenant', async () => {
    await insert('evt_1', 'evt_2')
    const given = [stored('evt_1'), stored('evt_2'), stored('evt_3')]
    const known = await findKnown(its.deps, tenant(), ['evt_1', 'evt_3'], given)
    expect([...known.keys()]).to.deep.equal(['evt_1'])
    for (const other of foreignTenants(tenant())) {
      expect(await findKnown(its.deps, other, ['evt_1'], given)).to.have.property('size', 0)
    }
  })
})
