// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { findEvents, insertEvents } from '../../../../src/db/event/events.ts'
import { isDuplicate } from '../../../../src/domain/database-errors.ts'
import { createEvent } from '../../../../src/domain/event/event.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('events in the database', () => {
  const its = useOperations()

  const event = (id: string, data: object = {}) => ({
    ...createEvent({ id, type: 'deal.created', data, now: new Date('2026-03-01T12:00:00.001Z') }),
    deliveries: 3,
  })
  const idsOf = async (ids: string[], owner = its.tenant()) =>
    (await findEvents(its.db, owner, ids)).map(({ id }) => id).sort()

  it('are found byte for byte as they were inserted', async () => {
    const inserted = event('evt_1', { z: 1, a: ['ü', '🚀', '\u0000', 1e21, -0.5], '': null })
    await insertEvents(its.db, its.tenant(), [inserted])
    expect(await findEvents(its.db, its.tenant(), ['evt_1'])).to.deep.equal([inserted])
  })

  it('tell ids apart by case, and are those that were asked for', async () => {
    await insertEvents(
      its.db,
      its.tenant(),
      ['evt_a', 'evt_A', 'evt_b'].map((id) => event(id)),
    )
    expect(await idsOf(['evt_A', 'evt_b', 'evt_B'])).to.deep.equal(['evt_A', 'evt_b'])
  })

  it('are inserted all or not at all when one of them exists already', async () => {
    await insertEvents(its.db, its.tenant(), [event('evt_2')])
    const again = insertEvents(its.db, its.tenant(), [event('evt_1'), event('evt_2'), event('evt_3')])
    expect(isDuplicate(await again.catch((error: unknown) => error))).to.equal(true)
    expect(await idsOf(['evt_1', 'evt_2', 'evt_3'])).to.deep.equal(['evt_2'])
  })

  it('are found by their own tenant alone, and each tenant may have the same id', async () => {
    await insertEvents(its.db, its.tenant(), [event('evt_1', { of: 'this tenant' })])
    for (const other of foreignTenants(its.tenant())) {
      expect(await idsOf(['evt_1'], other)).to.deep.equal([])
      await insertEvents(its.db, other, [event('evt_1', { of: 'another one' })])
    }
    const [found] = await findEvents(its.db, its.tenant(), ['evt_1'])
    expect(found?.body.toString()).to.include('this tenant')
  })
})
