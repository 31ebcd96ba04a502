import { expect } from 'chai'
import { findEvents, insertEvents } from '../../../src/db/event/events.js'
import { isDuplicate } from '../../../src/domain/database-errors.js'
import { createEvent } from '../../../src/domain/event/event.js'
import { newId } from '../../../src/domain/ids.js'
import type { Tenant } from '../../../src/domain/tenant.js'
import { createTestDatabase, type TestDatabase } from '../../support/database.js'
import { foreignTenants } from '../../support/foreign-tenants.js'

describe('events in the database', () => {
  let database: TestDatabase
  let tenant: Tenant
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.drop())
  beforeEach(() => {
    tenant = { companyId: newId('company'), environment: 'live' }
  })

  const event = (id: string, data: object = {}) => ({
    ...createEvent({ id, type: 'deal.created', data, now: new Date('2026-03-01T12:00:00.001Z') }),
    deliveries: 3,
  })
  const idsOf = async (ids: string[], owner = tenant) =>
    (await findEvents(database.db, owner, ids)).map(({ id }) => id).sort()

  it('are found byte for byte as they were inserted', async () => {
    const inserted = event('evt_1', { z: 1, a: ['ü', '🚀', '\u0000', 1e21, -0.5], '': null })
    await insertEvents(database.db, tenant, [inserted])
    expect(await findEvents(database.db, tenant, ['evt_1'])).to.deep.equal([inserted])
  })

  it('tell ids apart by case, and are those that were asked for', async () => {
    await insertEvents(
      database.db,
      tenant,
      ['evt_a', 'evt_A', 'evt_b'].map((id) => event(id)),
    )
    expect(await idsOf(['evt_A', 'evt_b', 'evt_B'])).to.deep.equal(['evt_A', 'evt_b'])
  })

  it('are inserted all or none where one of them is there already', async () => {
    await insertEvents(database.db, tenant, [event('evt_2')])
    const again = insertEvents(database.db, tenant, [event('evt_1'), event('evt_2'), event('evt_3')])
    expect(isDuplicate(await again.catch((error: unknown) => error))).to.equal(true)
    expect(await idsOf(['evt_1', 'evt_2', 'evt_3'])).to.deep.equal(['evt_2'])
  })

  it('are found by their own tenant alone, and each tenant may have the same id', async () => {
    await insertEvents(database.db, tenant, [event('evt_1', { of: 'this tenant' })])
    for (const other of foreignTenants(tenant)) {
      expect(await idsOf(['evt_1'], other)).to.deep.equal([])
      await insertEvents(database.db, other, [event('evt_1', { of: 'another one' })])
    }
    const [found] = await findEvents(database.db, tenant, ['evt_1'])
    expect(found?.body.toString()).to.include('this tenant')
  })
})
