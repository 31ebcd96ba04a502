// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import * as counters from '../../../../src/db/event/resource-rows.ts'
import * as records from '../../../../src/db/event/resource-rows.ts'
import { listResources, listResourcesById } from '../../../../src/db/event/resource-lists.ts'
import { findEvents, insertEvents } from '../../../../src/db/event/events.ts'
import { createEvent } from '../../../../src/domain/event/event.ts'
import { RESOURCE_FAMILIES, type ResourceRecord } from '../../../../src/domain/event/resources.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { createResource } from '../../../../src/operations/resource/change.ts'
import { useOperations } from '../../../support/use-operations.ts'
import { presentListedResource, presentResource } from '../../../../src/presenters/events.ts'
import { toJson } from '../../../../src/presenters/stored-json.ts'
import { statementsOf } from '../../../support/rows-read.ts'

const { contacts } = RESOURCE_FAMILIES

// decision: Totals of records
describe('records in the database', () => {
  const its = useOperations()
  const { tenant } = its
  const companyId = () => tenant().companyId

  /** Writes as a former release does, without counters. */
  async function insert(createdAt = new Date('2026-03-01T00:00:00.001Z')): Promise<ResourceRecord> {
    const fields = { name: 'Ada', custom: { z: 1, a: 'ü 🚀' } }
    const of = { id: newId('contact'), family: 'contacts' as const, fields, revision: 1 }
    const record: ResourceRecord = { ...of, createdAt, updatedAt: createdAt }
    await records.insertResource(its.db, tenant(), record)
    return record
  }
  const create = () => createResource(its.deps, tenant(), contacts, { name: 'Ada' })
  const counted = (owner = tenant()) => counters.readResourceCounter(its.db, owner, 'contacts')

  it('are found, changed and deleted by their own tenant and under their own family alone', async () => {
    const record = await insert()
    const others = its.foreign().map((other) => [other, 'contacts'] as const)
    for (const [owner, family] of [...others, [tenant(), 'deals'] as const]) {
      expect(await records.findResource(its.db, owner, family, record.id)).to.equal(undefined)
      expect(await records.lockResource(its.db, owner, family, record.id)).to.equal(undefined)
      const { items, total } = await listResources(its.db, owner, family, { page: 1, limit: 10 })
      expect([items, total]).to.deep.equal([[], 0])
      expect((await listResourcesById(its.db, owner, family, { limit: 10 })).items).to.deep.equal([])
      await records.updateResource(its.db, owner, { ...record, family, fields: { name: 'theirs' } })
      await records.deleteResource(its.db, owner, family, record.id)
    }
    expect(await records.findResource(its.db, tenant(), 'contacts', record.id)).to.deep.equal(record)
  })

  it('are counted by tenant and family, and never below 0', async () => {
    await counters.addToResourceCounter(its.db, tenant(), 'contacts', 3)
    await counters.addToResourceCounter(its.db, tenant(), 'deals', 5)
    for (const other of its.foreign()) expect(await counted(other)).to.equal(0)
    expect(await counted()).to.equal(3)
    await counters.addToResourceCounter(its.db, tenant(), 'contacts', -4)
    expect(await counted()).to.equal(0)
  })

  it('have totals that are corrected after a former release wrote and deleted, while others write', async () => {
    for (let n = 0; n < 4; n++) await insert()
    const gone = await create()
    await its.db('resources').where({ id: gone.id }).delete()
    const creations = Array.from({ length: 8 }, () => create())
    const [corrected] = await Promise.all([counters.correctTotals(its.db, companyId()), ...creations])
    expect(corrected).to.equal(1)
    expect(await counted()).to.equal(4 + 8)
    expect(await counters.correctTotals(its.db, companyId())).to.equal(0)
  })

  it('have totals that are checked company by company, each once in a pass over all of them', async () => {
    const companies = await its.db('companies').orderBy('id').pluck<string[]>('id')
    const seen: string[] = []
    for (let after: string | undefined = ''; (after = await counters.findNextCompany(its.db, after));)
      seen.push(after)
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
    const publisher = { id: newId('apiKey'), via: 'record' } as const
    const inserted = { ...event('evt_1', content), publisher }
    await insertEvents(its.db, its.tenant(), [inserted, event('evt_a'), event('evt_A'), event('evt_b')])
    expect(await findEvents(its.db, its.tenant(), ['evt_1'])).to.deep.equal([inserted])
    expect(await idsOf(['evt_A', 'evt_b', 'evt_B'])).to.deep.equal(['evt_A', 'evt_b'])
    for (const other of its.foreign()) {
      expect(await idsOf(['evt_1'], other)).to.deep.equal([])
      await insertEvents(its.db, other, [event('evt_1', { of: 'another tenant' })])
    }
    expect(await findEvents(its.db, its.tenant(), ['evt_1'])).to.deep.equal([inserted])
  })
})

const PAGE = { limit: 100, page: 1 }
/** Inline values between large ones. Several large values fill a slice, and one value is larger than a slice. */
const SIZES_KIB = [1, 100, 2, 100, 100, 100, 1_200, 0, 3, 200]

// decision: Large values of a list are read in slices
describe('a page with small and large values', () => {
  const its = useOperations()
  const { tenant } = its

  /** The values from the newest to the oldest, as the list shows them. */
  async function insertContacts(sizesKib: readonly number[]): Promise<ResourceRecord[]> {
    const { db } = its.database
    const contacts = sizesKib.map((kib, n): ResourceRecord => {
      const at = new Date(1_000_000 - n)
      const fields = { name: `ü "${n}"`, email: null, phone: null, custom: { text: 'é'.repeat(kib * 512) } }
      return { id: newId('contact'), family: 'contacts', fields, revision: 1, createdAt: at, updatedAt: at }
    })
    for (const contact of contacts) await records.insertResource(db, tenant(), contact)
    await counters.addToResourceCounter(db, tenant(), 'contacts', contacts.length)
    return contacts
  }

  it('is counted as a whole before its large values are read, and shows each record as a GET does', async () => {
    const { db } = its.database
    const contacts = await insertContacts(SIZES_KIB)
    const rooms: number[] = []
    const makeRoom = (bytes: number) => Promise.resolve(void rooms.push(bytes))
    let shown: string[] = []
    const statements = await statementsOf(db, async () => {
      const { items, total } = await listResources(db, tenant(), 'contacts', PAGE, makeRoom)
      expect(total).to.equal(SIZES_KIB.length)
      shown = items.map((item) => toJson(presentListedResource(item)).toString())
    })
    const reads = contacts.map(({ id }) => records.findResource(db, tenant(), 'contacts', id))
    const found = await Promise.all(reads)
    expect(shown).to.deep.equal(found.map((record) => record && JSON.stringify(presentResource(record))))
    expect(rooms).to.have.length(1)
    const bytes = contacts.reduce((sum, { fields }) => sum + Buffer.byteLength(JSON.stringify(fields)), 0)
    expect(rooms[0]).to.equal(bytes)
    // The page, the counter, and slices of about 256 KiB: 200, 1200, 100 + 100, 100 + 100.
    expect(statements).to.have.length(2 + 4)
  })

  it('costs no more statements than before while its values are small', async () => {
    await insertContacts([1, 2, 3, 0, 3])
    const list = () => listResources(its.db, tenant(), 'contacts', PAGE)
    expect(await statementsOf(its.db, list)).to.have.length(2)
  })

  it('reads nothing large when there is no room, and leaves out what is deleted meanwhile', async () => {
    const { db } = its.database
    const [first, second] = await insertContacts([200, 200])
    const refusal = new Error('no room')
    const refused = listResources(db, tenant(), 'contacts', PAGE, () => Promise.reject(refusal))
    expect(await refused.catch((error: unknown) => error)).to.equal(refusal)
    const { items } = await listResources(db, tenant(), 'contacts', PAGE, () =>
      records.deleteResource(db, tenant(), 'contacts', first?.id ?? ''),
    )
    expect(items.map(({ id }) => id)).to.deep.equal([second?.id])
  })
})
