import { expect } from 'chai'
import {
  deleteResource,
  findResource,
  insertResource,
  listResources,
  lockResource,
  updateResource,
} from '../../../src/db/event/resources.js'
import { addToResourceCounter, readResourceCounter } from '../../../src/db/event/resource-counters.js'
import type { ResourceRecord } from '../../../src/domain/event/resources.js'
import { newId } from '../../../src/domain/ids.js'
import type { Tenant } from '../../../src/domain/tenant.js'
import { createTestDatabase, type TestDatabase } from '../../support/database.js'
import { foreignTenants } from '../../support/foreign-tenants.js'

const PAGE = { page: 1, limit: 10 }

describe('records in the database', () => {
  let database: TestDatabase
  let tenant: Tenant
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.drop())
  beforeEach(() => {
    tenant = { companyId: newId('company'), environment: 'live' }
  })

  async function insert(fields: Partial<ResourceRecord> = {}): Promise<ResourceRecord> {
    const record: ResourceRecord = {
      ...{ id: newId('contact'), family: 'contacts', fields: { name: 'Ada', custom: { z: 1, a: 'ü 🚀' } } },
      ...{ createdAt: new Date('2026-03-01T00:00:00.001Z'), updatedAt: new Date('2026-03-01T00:00:00.001Z') },
      ...fields,
    }
    await insertResource(database.db, tenant, record)
    return record
  }
  const find = (id: string, owner = tenant) => findResource(database.db, owner, 'contacts', id)
  const list = async (page = PAGE, owner = tenant) =>
    (await listResources(database.db, owner, 'contacts', page)).items.map(({ id }) => id)

  it('are found as they were inserted and as they were written last', async () => {
    const record = await insert()
    expect(await find(record.id)).to.deep.equal(record)
    const changed = { ...record, fields: { name: 'Grace' }, updatedAt: new Date('2026-03-02T00:00:00.000Z') }
    await updateResource(database.db, tenant, changed)
    expect(await find(record.id)).to.deep.equal(changed)
    await deleteResource(database.db, tenant, 'contacts', record.id)
    expect(await find(record.id)).to.equal(undefined)
  })

  it('are found, changed and deleted by their own tenant alone', async () => {
    const record = await insert()
    for (const other of foreignTenants(tenant)) {
      expect(await find(record.id, other)).to.equal(undefined)
      expect(await lockResource(database.db, other, 'contacts', record.id)).to.equal(undefined)
      expect(await list(PAGE, other)).to.deep.equal([])
      await updateResource(database.db, other, { ...record, fields: { name: 'theirs' } })
      await deleteResource(database.db, other, 'contacts', record.id)
    }
    expect(await find(record.id)).to.deep.equal(record)
  })

  it('are found, changed and deleted under their own family alone', async () => {
    const record = await insert()
    expect(await findResource(database.db, tenant, 'deals', record.id)).to.equal(undefined)
    expect(await lockResource(database.db, tenant, 'deals', record.id)).to.equal(undefined)
    expect((await listResources(database.db, tenant, 'deals', PAGE)).items).to.deep.equal([])
    await updateResource(database.db, tenant, { ...record, family: 'deals', fields: {} })
    await deleteResource(database.db, tenant, 'deals', record.id)
    expect(await find(record.id)).to.deep.equal(record)
  })

  it('are listed newest first, by id where they are as old, each page once', async () => {
    const sameAge = [await insert(), await insert(), await insert()]
      .map(({ id }) => id)
      .sort()
      .reverse()
    const { id: newest } = await insert({ createdAt: new Date('2026-04-01T00:00:00.000Z') })
    const all = [newest, ...sameAge]
    expect(await list({ page: 1, limit: 3 })).to.deep.equal(all.slice(0, 3))
    expect(await list({ page: 2, limit: 3 })).to.deep.equal(all.slice(3))
    expect(await list({ page: 3, limit: 3 })).to.deep.equal([])
  })

  it('are listed with the fields as they were stored, small and large ones in one order', async () => {
    const large = { name: 'Ada', custom: { text: 'ü'.repeat(700_000) } }
    for (const [day, fields] of [large, { name: 'small' }, large].entries()) {
      await insert({ fields, createdAt: new Date(Date.UTC(2026, 0, day + 1)) })
    }
    const { items } = await listResources(database.db, tenant, 'contacts', PAGE)
    const texts = items.map(({ fieldsJson }) => fieldsJson.toString())
    expect(texts.map((text) => text === JSON.stringify(large))).to.deep.equal([true, false, true])
    expect(texts[1]).to.equal('{"name":"small"}')
  })

  it('are listed without those that are deleted while their page is read', async () => {
    const small = await insert()
    const large = await insert({ fields: { name: 'x'.repeat(10_000) } })
    const { items } = await listResources(database.db, tenant, 'contacts', PAGE, () =>
      deleteResource(database.db, tenant, 'contacts', large.id),
    )
    expect(items.map(({ id }) => id)).to.deep.equal([small.id])
  })

  it('are counted by tenant and family, and never below 0', async () => {
    const count = (owner = tenant) => readResourceCounter(database.db, owner, 'contacts')
    await addToResourceCounter(database.db, tenant, 'contacts', 3)
    await addToResourceCounter(database.db, tenant, 'deals', 5)
    for (const other of foreignTenants(tenant)) expect(await count(other)).to.equal(0)
    expect(await count()).to.equal(3)
    await addToResourceCounter(database.db, tenant, 'contacts', -4)
    expect(await count()).to.equal(0)
  })
})
