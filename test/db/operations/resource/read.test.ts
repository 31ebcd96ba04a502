import { expect } from 'chai'
import { RESOURCE_FAMILIES } from '../../../../src/domain/event/resources.ts'
import { ApiError } from '../../../../src/domain/errors.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { createResource } from '../../../../src/operations/resource/create.ts'
import { getResource, listResources } from '../../../../src/operations/resource/read.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { useOperations } from '../../../support/use-operations.ts'

const { contacts, organizations } = RESOURCE_FAMILIES
const FIRST_PAGE = { page: 1, limit: 10 }

describe('reading records', () => {
  const its = useOperations()
  const { tenant } = its
  const create = (fields = {}, family = contacts) =>
    createResource(its.deps, tenant(), family, { name: 'Ada', ...fields })

  it('answers foreign, unknown and malformed ids and those of another family alike', async () => {
    const { id } = await create()
    const organization = await create({}, organizations)
    for (const [owner, wanted] of [
      ...foreignTenants(tenant()).map((other) => [other, id] as const),
      ...[newId('contact'), organization.id, 'con_1', `${id} `].map((other) => [tenant(), other] as const),
    ]) {
      expect(await refusalOf(getResource(its.deps, owner, contacts, wanted)), wanted).to.equal(
        'NOT_FOUND: Contact not found.',
      )
    }
  })

  it('lists those of the tenant and the family alone', async () => {
    const { id } = await create()
    await create({}, organizations)
    const list = async (owner = tenant()) => {
      const { items, total } = await listResources(its.deps, owner, contacts, FIRST_PAGE, () =>
        Promise.resolve(),
      )
      return { ids: items.map((item) => item.id), total }
    }
    expect(await list()).to.deep.equal({ ids: [id], total: 1 })
    for (const other of foreignTenants(tenant()))
      expect(await list(other)).to.deep.equal({ ids: [], total: 0 })
  })

  it('asks for room for all fields of a page before it reads large ones, and ends where there is none', async () => {
    const records = [await create(), await create({ custom: { text: 'x'.repeat(10_000) } })]
    const bytes = records.reduce((sum, { fields }) => sum + JSON.stringify(fields).length, 0)
    let asked = 0
    const full = (wanted: number) => {
      asked = wanted
      return Promise.reject(new ApiError('RATE_LIMITED', 'no room'))
    }
    const refused = listResources(its.deps, tenant(), contacts, FIRST_PAGE, full)
    expect(await refusalOf(refused)).to.equal('RATE_LIMITED: no room')
    expect(asked).to.equal(bytes)
  })
})
