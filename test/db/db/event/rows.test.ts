// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { addToResourceCounter, readResourceCounter } from '../../../../src/db/event/resource-counters.ts'
import {
  deleteResource,
  findResource,
  insertResource,
  lockResource,
  updateResource,
} from '../../../../src/db/event/resource-rows.ts'
import { listResources, listResourcesById } from '../../../../src/db/event/resource-lists.ts'
import { findEvents, insertEvents } from '../../../../src/db/event/events.ts'
import { correctTotals, findNextCompany } from '../../../../src/db/event/resource-totals.ts'
import { createEvent } from '../../../../src/domain/event/event.ts'
import { RESOURCE_FAMILIES, type ResourceRecord } from '../../../../src/domain/event/resources.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { createResource } from '../../../../src/operations/resource/create.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { useOperations } from '../../../support/use-operations.ts'

const { contacts } = RESOURCE_FAMILIES

// decision: Totals of records
describe('records in the database', () => {
  const its = useOperations()
  const { tenant } = its
  const companyId = () => tenant().companyId

  /** Writes as a former release does, which knows no counters. */
  async function insert(createdAt = new Date('2026-03-01T00:00:00.001Z')): Promise<ResourceRecord> {
    const fields = { name: 'Ada', custom: { z: 1, a: 'ü 🚀' } }
    const of = { id: newId('contact'), family: 'contacts' as const, fields, revision: 1 }
    const record: ResourceRecord = { ...of, createdAt, updatedAt: createdAt }
    await insertResource(its.db, tenant(), record)
    return record
  }
  const create = () => createResource(its.deps, tenant(), contacts, { name: 'Ada' })
  const counted = (owner = tenant()) => readResourceCounter(its.db, owner, 'contacts')

  it('are found, changed and deleted by their own tenant and under their own family alone', async () => {
    const record = await insert()
    const others = foreignTenants(tenant()).map((other) => [other, 'contacts'] as const)
    for (const [owner, family] of [...others, [tenant(), 'deals'] as const]) {
      expect(await findResource(its.db, owner, family, record.id)).to.equal(undefined)
      expect(await lockResource(its.db, owner, family, record.id)).to.equal(undefined)
      const { items, total } = await listResources(its.db, owner, family, { page: 1, limit: 10 })
      expect([items, total]).to.deep.equal([[], 0])
      expect((await listResourcesById(its.db, owner, family, { limit: 10 })).items).to.deep.equal([])
      await updateResource(its.db, owner, { ...record, family, fields: { name: 'theirs' } })
      await deleteResource(its.db, owner, family, record.id)
    }
    expect(await findResource(its.db, tenant(), 'contacts', record.id)).to.deep.equal(record)
  })

  it('are counted by tenant and family, and never below 0', async () => {
    await addToResourceCounter(its.db, tenant(), 'contacts', 3)
    await addToResourceCounter(its.db, tenant(), 'deals', 5)
    for (const other of foreignTenants(tenant())) expect(await counted(other)).to.equal(0)
    expect(await counted()).to.equal(3)
    await addToResourceCounter(its.db, tenant(), 'contacts', -4)
    expect(await counted()).to.equal(0)
  })

  it('have totals that are corrected after a former release wrote and deleted, while others write', async () => {
    for (let n = 0; n < 4; n++) await insert()
    const gone = await create()
    await its.db('resources').where({ id: gone.id }).delete()
    const creations = Array.from({ length: 8 }, () => create())
    const [corrected] = await Promise.all([correctTotals(its.db, companyId()), ...creations])
    expect(corrected).to.equal(1)
    expect(await counted()).to.equal(4 + 8)
    expect(await correctTotals(its.db, companyId())).to.equal(0)
  })

  it('have totals that are checked company by company, each once in a pass over all of them', async () => {
    const companies = await its.db('companies').orderBy('id').pluck<string[]>('id')
    const seen: string[] = []
    for (let after: string | undefined = ''; (after = await findNextCompany(its.db, after));) seen.push(after)
    expect(seen).to.deep.equal(companies)
  })
})

describe('events in the database', () => {
  const its = useOperations()

  const event = (id: string, data: object = {}) => ({
    ...createEvent({ id, type: 'deal.created', data, now: new Date('2026-03-01T12:00:00.001Z') }),
    deliveries: 3,
  })
  const idsOf = async (ids: string[], owner = its.tenant()) =>
    (await findEvents(its.db, owner, ids)).map(({ id }) => id).sort()

  it('are found byte for byte as they were inserted, those that were asked for alone and by their own tenant alone, and tell ids apart by case', async () => {
    const content = { z: 1, a: ['ü', '🚀', '\u0000', 1e21, -0.5], '': null }
    const inserted = {
      ...event('evt_1', content),
      publisher: { id: newId('apiKey'), via: 'record' } as const,
    }
    await insertEvents(its.db, its.tenant(), [inserted, event('evt_a'), event('evt_A'), event('evt_b')])
    expect(await findEvents(its.db, its.tenant(), ['evt_1'])).to.deep.equal([inserted])
    expect(await idsOf(['evt_A', 'evt_b', 'evt_B'])).to.deep.equal(['evt_A', 'evt_b'])
    for (const other of foreignTenants(its.tenant())) {
      expect(await idsOf(['evt_1'], other)).to.deep.equal([])
      await insertEvents(its.db, other, [event('evt_1', { of: 'another tenant' })])
    }
    expect(await findEvents(its.db, its.tenant(), ['evt_1'])).to.deep.equal([inserted])
  })
})
