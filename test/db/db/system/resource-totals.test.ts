import { expect } from 'chai'
import { formerRows } from '../../../../src/db/migrations/009-former-rows.ts'
import { readResourceCounter } from '../../../../src/db/event/resource-counters.ts'
import { insertResource, listResources } from '../../../../src/db/event/resources.ts'
import { correctTotals, findNextCompany } from '../../../../src/db/system/resource-totals.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { RESOURCE_FAMILIES } from '../../../../src/domain/event/resources.ts'
import type { Tenant } from '../../../../src/domain/tenant.ts'
import { removeResource } from '../../../../src/operations/resource/change.ts'
import { createResource } from '../../../../src/operations/resource/create.ts'
import { useOperations } from '../../../support/use-operations.ts'

const { contacts } = RESOURCE_FAMILIES

describe('totals of records', () => {
  const its = useOperations()
  let tenant: Tenant
  beforeEach(() => {
    tenant = { companyId: its.keyring.companyId, environment: 'live' }
  })

  const create = () => createResource(its.deps, tenant, contacts, { name: 'Ada' })
  const counted = () => readResourceCounter(its.db, tenant, 'contacts')

  /** Writes as a former release does, which knows no counters. */
  const createAsBefore = () =>
    insertResource(its.db, tenant, {
      id: newId('contact'),
      family: 'contacts',
      fields: { name: 'Ada' },
      createdAt: new Date(),
      updatedAt: new Date(),
    })

  it('are counted with every creation and deletion, many at once', async () => {
    const records = await Promise.all(Array.from({ length: 12 }, create))
    await Promise.all(records.slice(0, 5).map(({ id }) => removeResource(its.deps, tenant, contacts, id)))
    expect(await counted()).to.equal(7)
  })

  it('count the records from before the counters once, however often the migration runs', async () => {
    for (let n = 0; n < 3; n++) await createAsBefore()
    await formerRows.data?.(its.db)
    await formerRows.data?.(its.db)
    expect(await counted()).to.equal(3)
  })

  // decision: Totals of records
  it('are corrected after a former release wrote and deleted, while others write', async () => {
    for (let n = 0; n < 4; n++) await createAsBefore()
    const gone = await create()
    await its.db('resources').where({ id: gone.id }).delete()
    const [corrected] = await Promise.all([
      correctTotals(its.db, tenant.companyId),
      ...Array.from({ length: 8 }, create),
    ])
    expect(corrected).to.equal(1)
    expect(await counted()).to.equal(4 + 8)
    expect(await correctTotals(its.db, tenant.companyId)).to.equal(0)
  })

  it('become 0 again when a former release deleted the last record', async () => {
    const gone = await create()
    await its.db('resources').where({ id: gone.id }).delete()
    await correctTotals(its.db, tenant.companyId)
    expect(await counted()).to.equal(0)
  })

  it('are checked company by company, each once in a pass over all of them', async () => {
    const companies: { id: string }[] = await its.db('companies').select('id')
    const seen: string[] = []
    for (let after: string | undefined = ''; ;) {
      after = await findNextCompany(its.db, after)
      if (after === undefined) break
      seen.push(after)
    }
    expect(seen).to.deep.equal(companies.map(({ id }) => id).sort())
  })

  // decision: Totals of records
  it('never hide a page, and never promise one that does not exist, even while the counters are wrong', async () => {
    for (let n = 0; n < 3; n++) await createAsBefore()
    const pageOf = async (page: number, limit: number) => {
      const found = await listResources(its.db, tenant, 'contacts', { page, limit })
      return [found.items.length, found.total]
    }
    expect(await pageOf(1, 2)).to.deep.equal([2, 3])
    expect(await pageOf(2, 2)).to.deep.equal([1, 3])
    expect(await pageOf(1, 3)).to.deep.equal([3, 3])
    expect(await pageOf(9, 2)).to.deep.equal([0, 0])
  })
})
