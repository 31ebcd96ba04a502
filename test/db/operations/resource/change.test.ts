// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { readResourceCounter } from '../../../../src/db/event/resource-counters.ts'
import {
  RESOURCE_FAMILIES,
  type FamilyDescription,
  type Fields,
} from '../../../../src/domain/event/resources.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { presentResource } from '../../../../src/presenters/resources.ts'
import { changeResource, removeResource } from '../../../../src/operations/resource/change.ts'
import { createResource } from '../../../../src/operations/resource/create.ts'
import { getResource } from '../../../../src/operations/resource/read.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { useOperations } from '../../../support/use-operations.ts'

const { contacts, organizations, deals, tasks } = RESOURCE_FAMILIES
const DEAL = { name: 'A deal', stage: 'new', amount: 1 }

describe('changing records', () => {
  const its = useOperations()
  const { tenant } = its
  const create = (family: FamilyDescription, fields: Fields) =>
    createResource(its.deps, tenant(), family, fields)
  const change = (family: FamilyDescription, id: string, fields: Fields) =>
    changeResource(its.deps, tenant(), family, id, fields)
  const remove = (family: FamilyDescription, id: string) => removeResource(its.deps, tenant(), family, id)
  const get = (family: FamilyDescription, id: string) => getResource(its.deps, tenant(), family, id)

  async function events(): Promise<{ type: string; data: object }[]> {
    const where = { company_id: tenant().companyId }
    const rows = (await its.db('events').where(where)) as { type: string; body: Buffer }[]
    return rows.map(({ type, body }) => ({ type, data: JSON.parse(body.toString()).data }))
  }
  const types = async () => (await events()).map(({ type }) => type).sort()
  const forgetEvents = () => its.db('events').delete()

  it('publishes its events with a new record', async () => {
    const fields = { name: 'A task', completed: true }
    const record = await create(tasks, fields)
    const data = presentResource(record)
    expect(data).to.include(fields)
    expect(await types()).to.deep.equal(['task.completed', 'task.created'])
    for (const event of await events()) expect(event.data).to.deep.equal(data)
    expect(await get(tasks, record.id)).to.deep.equal(record)
  })

  for (const [family, before, given, published] of [
    [deals, DEAL, { stage: 'won', amount: 2 }, ['deal.stage_changed', 'deal.updated']],
    [tasks, { name: 'A task' }, { name: 'Another' }, []],
  ] as const) {
    const named = published.join(' and ') || 'nothing'
    // decision: Families
    it(`publishes ${named} when ${JSON.stringify(given)} is given for one of ${family.family}`, async () => {
      const { id } = await create(family, before)
      await forgetEvents()
      const changed = await change(family, id, given)
      expect(changed.fields).to.deep.include({ ...before, ...given })
      expect(await get(family, id)).to.deep.equal(changed)
      expect(await types()).to.deep.equal(published)
      for (const { data } of await events()) expect(data).to.deep.equal(presentResource(changed))
    })
  }

  for (const [family, fields, published] of [
    [deals, DEAL, ['deal.deleted']],
    [tasks, { name: 'A task' }, []],
  ] as const) {
    const named = published.map((type) => `${type} with the record as it was just before`)[0] ?? 'nothing'
    it(`publishes ${named} when one of ${family.family} is deleted`, async () => {
      const record = await create(family, fields)
      await forgetEvents()
      await remove(family, record.id)
      expect(await events()).to.deep.equal(published.map((type) => ({ type, data: presentResource(record) })))
      expect(await refusalOf(get(family, record.id))).to.match(/^NOT_FOUND: /)
      expect(await readResourceCounter(its.db, tenant(), family.family)).to.equal(0)
    })
  }

  it('writes and publishes nothing when every field is given as it is', async () => {
    const record = await create(contacts, { name: 'Ada', email: null, custom: { deep: [1, { a: null }] } })
    await forgetEvents()
    const deps = { ...its.deps, clock: () => new Date('2030-01-01T00:00:00.000Z') }
    expect(await changeResource(deps, tenant(), contacts, record.id, record.fields)).to.deep.equal(record)
    expect(await get(contacts, record.id)).to.deep.equal(record)
    expect(await types()).to.deep.equal([])
  })

  it('is for the tenant and the family of the record alone', async () => {
    const record = await create(contacts, { name: 'Ada' })
    const { id: organization } = await create(organizations, { name: 'Engines' })
    await forgetEvents()
    const own = [newId('contact'), organization, 'con_1', `${record.id} `]
    const wanted = [
      ...foreignTenants(tenant()).map((other) => [other, contacts, record.id] as const),
      ...own.map((id) => [tenant(), contacts, id] as const),
      [tenant(), organizations, record.id] as const,
    ]
    for (const [owner, family, id] of wanted) {
      const refusal =
        family === contacts ? 'NOT_FOUND: Contact not found.' : 'NOT_FOUND: Organization not found.'
      for (const ask of [
        () => getResource(its.deps, owner, family, id),
        () => changeResource(its.deps, owner, family, id, { name: 'Eve' }),
        () => removeResource(its.deps, owner, family, id),
      ]) {
        expect(await refusalOf(ask()), id).to.equal(refusal)
      }
    }
    expect(await get(contacts, record.id)).to.deep.equal(record)
    expect(await types()).to.deep.equal([])
  })

  // decision: Fields are checked where the work is done
  it('checks every field, whoever calls, and publishes nothing for one with a fault', async () => {
    expect(await refusalOf(create(contacts, { email: 'nobody' }))).to.equal(
      'VALIDATION_ERROR: "name" is required. "email" must be a valid email.',
    )
    const { id } = await create(deals, DEAL)
    await forgetEvents()
    expect(await refusalOf(change(deals, id, { currency: 'euro', colour: 'red' }))).to.match(
      /^VALIDATION_ERROR: "currency" must be the three capital letters.*"colour" is not allowed\.$/,
    )
    expect(await types()).to.deep.equal([])
  })
})
