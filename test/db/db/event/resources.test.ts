import { expect } from 'chai'
import {
  deleteResource,
  findResource,
  insertResource,
  listResources,
  lockResource,
  updateResource,
} from '../../../../src/db/event/resources.ts'
import { addToResourceCounter, readResourceCounter } from '../../../../src/db/event/resource-counters.ts'
import type { ResourceRecord } from '../../../../src/domain/event/resources.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { useOperations } from '../../../support/use-operations.ts'

const PAGE = { page: 1, limit: 10 }

describe('records in the database', () => {
  const its = useOperations()

  async function insert(fields: Partial<ResourceRecord> = {}): Promise<ResourceRecord> {
    const record: ResourceRecord = {
      ...{ id: newId('contact'), family: 'contacts', fields: { name: 'Ada', custom: { z: 1, a: 'ü 🚀' } } },
      ...{ createdAt: new Date('2026-03-01T00:00:00.001Z'), updatedAt: new Date('2026-03-01T00:00:00.001Z') },
      ...fields,
    }
    await insertResource(its.db, its.tenant(), record)
    return record
  }
  const find = (id: string, owner = its.tenant()) => findResource(its.db, owner, 'contacts', id)
  const list = async (page = PAGE, owner = its.tenant()) =>
    (await listResources(its.db, owner, 'contacts', page)).items.map(({ id }) => id)

  it('are found as they were inserted and as they were written last', async () => {
    const record = await insert()
    expect(await find(record.id)).to.deep.equal(record)
    const changed = { ...record, fields: { name: 'Grace' }, updatedAt: new Date('2026-03-02T00:00:00.000Z') }
    await updateResource(its.db, its.tenant(), changed)
    expect(await find(record.id)).to.deep.equal(changed)
    await deleteResource(its.db, its.tenant(), 'contacts', record.id)
    expect(await find(record.id)).to.equal(undefined)
  })

  it('are found, changed and deleted by their own tenant alone', async () => {
    const record = await insert()
    for (const other of foreignTenants(its.tenant())) {
      expect(await find(record.id, other)).to.equal(undefined)
      expect(await lockResource(its.db, other, 'contacts', record.id)).to.equal(undefined)
      expect(await list(PAGE, other)).to.deep.equal([])
      await updateResource(its.db, other, { ...record, fields: { name: 'theirs' } })
      await deleteResource(its.db, other, 'contacts', record.id)
    }
    expect(await find(record.id)).to.deep.equal(record)
  })

  it('are found, changed and deleted under their own family alone', async () => {
    const record = await insert()
    expect(await findResource(its.db, its.tenant(), 'deals', record.id)).to.equal(undefined)
    expect(await lockResource(its.db, its.tenant(), 'deals', record.id)).to.equal(undefined)
    expect((await listResources(its.db, its.tenant(), 'deals', PAGE)).items).to.deep.equal([])
    await updateResource(its.db, its.tenant(), { ...record, family: 'deals', fields: {} })
    await deleteResource(its.db, its.tenant(), 'deals', record.id)
    expect(await find(record.id)).to.deep.equal(record)
  })

  it('are listed newest first, by id when they are equally old, each on one page only', async () => {
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
    const { items } = await listResources(its.db, its.tenant(), 'contacts', PAGE)
    const texts = items.map(({ fieldsJson }) => fieldsJson.toString())
    expect(texts.map((text) => text === JSON.stringify(large))).to.deep.equal([true, false, true])
    expect(texts[1]).to.equal('{"name":"small"}')
  })

  it('are listed without those that are deleted while their page is read', async () => {
    const small = await insert()
    const large = await insert({ fields: { name: 'x'.repeat(10_000) } })
    const { items } = await listResources(its.db, its.tenant(), 'contacts', PAGE, () =>
      deleteResource(its.db, its.tenant(), 'contacts', large.id),
    )
    expect(items.map(({ id }) => id)).to.deep.equal([small.id])
  })

  it('are counted by tenant and family, and never below 0', async () => {
    const count = (owner = its.tenant()) => readResourceCounter(its.db, owner, 'contacts')
    await addToResourceCounter(its.db, its.tenant(), 'contacts', 3)
    await addToResourceCounter(its.db, its.tenant(), 'deals', 5)
    for (const other of foreignTenants(its.tenant())) expect(await count(other)).to.equal(0)
    expect(await count()).to.equal(3)
    await addToResourceCounter(its.db, its.tenant(), 'contacts', -4)
    expect(await count()).to.equal(0)
  })
})
