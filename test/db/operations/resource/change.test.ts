// Also on MySQL with direct attempts: its statements are SQL of ours, and the servers plan them.
import { expect } from 'chai'
import { readResourceCounter } from '../../../../src/db/event/resource-rows.ts'
import * as resources from '../../../../src/domain/event/resources.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { presentResource } from '../../../../src/presenters/events.ts'
import { changeResource, createResource, removeResource } from '../../../../src/operations/resource/change.ts'
import { getResource, copyResources } from '../../../../src/operations/resource/read.ts'
import { refusalOf, useOperations } from '../../../support/use-operations.ts'
import { exportCompany } from '../../../../src/cli/export-company.ts'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { useTemporaryDirectory } from '../../../support/temporary-directory.ts'
import { countRowsRead, statementsOf } from '../../../support/rows-read.ts'

const { contacts, organizations, deals, tasks } = resources.RESOURCE_FAMILIES
const DEAL = { name: 'A deal', stage: 'new', amount: 1 }

describe('changing records', () => {
  const its = useOperations()
  const { tenant } = its
  const create = (family: resources.FamilyDescription, fields: resources.Fields) =>
    createResource(its.deps, tenant(), family, fields)
  const change = (family: resources.FamilyDescription, id: string, fields: resources.Fields) =>
    changeResource(its.deps, tenant(), family, id, fields)
  const get = (family: resources.FamilyDescription, id: string) => getResource(its.deps, tenant(), family, id)

  type Told = { type: string; subject: string; revision: number; data: object; previous?: object }
  async function events(): Promise<Told[]> {
    const where = { company_id: tenant().companyId }
    const rows = (await its.db('events').where(where).orderBy('type')) as { type: string; body: Buffer }[]
    return rows.map(({ type, body }) => {
      const { id: _, event: __, created_at: ___, ...told } = JSON.parse(body.toString())
      return { type, ...told } as Told
    })
  }
  const types = async () => (await events()).map(({ type }) => type).sort()
  const forgetEvents = () => its.db('events').delete()

  it('publishes its events with a new record', async () => {
    const record = await create(tasks, { name: 'A task', completed: true })
    const data = presentResource(record)
    expect(await types()).to.deep.equal(['task.completed', 'task.created'])
    const told = { subject: record.id, revision: 1, data }
    for (const { type: _, ...event } of await events()) expect(event).to.deep.equal(told)
    expect(await get(tasks, record.id)).to.deep.equal(record)
  })

  const WON = { stage: 'won', amount: 2, currency: null }
  for (const [family, before, given, published, previous] of [
    [deals, DEAL, WON, ['deal.stage_changed', 'deal.updated'], { stage: 'new', amount: 1 }],
    [contacts, { name: 'Ada' }, { custom: { a: 1 } }, ['contact.updated'], { custom: {} }],
    [organizations, { name: 'A' }, { domain: 'a.example' }, ['organization.updated'], { domain: null }],
    [tasks, { name: 'A' }, { name: 'Another', completed: true }, ['task.completed'], { completed: false }],
    [tasks, { name: 'A task' }, { name: 'Another' }, [], undefined],
  ] as const) {
    const named = published.length ? `${published.join(' and ')} with what was before` : 'nothing'
    // decision: Families
    // decision: Former values
    it(`publishes ${named} when ${JSON.stringify(given)} is given for one of ${family.family}`, async () => {
      const { id } = await create(family, before)
      await forgetEvents()
      const changed = await change(family, id, given)
      expect(changed.fields).to.deep.include({ ...before, ...given })
      expect(changed.revision).to.equal(2)
      expect(await get(family, id)).to.deep.equal(changed)
      const told = { subject: id, revision: 2, data: presentResource(changed), previous }
      expect(await events()).to.deep.equal(published.map((type) => ({ type, ...told })))
    })
  }

  for (const [family, fields, published] of [
    [deals, DEAL, ['deal.deleted']],
    [tasks, { name: 'A task' }, []],
  ] as const) {
    const named = published.map((type) => `${type} with the record as it was just before`)[0] ?? 'nothing'
    it(`publishes ${named} when one of ${family.family} is deleted`, async () => {
      const record = await create(family, fields)
      const changed = await change(family, record.id, { name: 'Another' })
      await forgetEvents()
      await removeResource(its.deps, tenant(), family, record.id)
      const told = { subject: record.id, revision: 3, data: presentResource(changed) }
      expect(await events()).to.deep.equal(published.map((type) => ({ type, ...told })))
      expect(await refusalOf(get(family, record.id))).to.match(/^NOT_FOUND: /)
      expect(await readResourceCounter(its.db, tenant(), family.family)).to.equal(0)
    })
  }

  it('counts changes that come at once one after the other, and tells what each of them found', async () => {
    const { id } = await create(contacts, { name: '0' })
    await forgetEvents()
    const names = Array.from({ length: 20 }, (_, n) => String(n + 1))
    await Promise.all(names.map((name) => change(contacts, id, { name })))
    const told = (await events()).toSorted((a, b) => a.revision - b.revision)
    expect(told.map(({ revision }) => revision)).to.deep.equal(names.map((_, n) => n + 2))
    const nameIn = (fields: object | undefined) => (fields as { name: string }).name
    const after = ['0', ...told.map(({ data }) => nameIn(data))]
    expect(told.map(({ previous }) => nameIn(previous))).to.deep.equal(after.slice(0, -1))
  })

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
      ...its.foreign().map((other) => [other, contacts, record.id] as const),
      ...own.map((id) => [tenant(), contacts, id] as const),
      [tenant(), organizations, record.id] as const,
    ]
    for (const [owner, family, id] of wanted) {
      const of = [its.deps, owner, family, id] as const
      const change = () => changeResource(...of, { name: 'Eve' })
      for (const ask of [() => getResource(...of), change, () => removeResource(...of)])
        expect(await refusalOf(ask()), id).to.match(/^NOT_FOUND: (Contact|Organization) /)
    }
    expect(await get(contacts, record.id)).to.deep.equal(record)
    expect(await types()).to.deep.equal([])
  })

  // decision: Fields are checked where the work is done
  it('checks every field, whoever calls, and publishes nothing for one with a fault', async () => {
    const created = create(contacts, { email: 'nobody' })
    const refusal = /^VALIDATION_ERROR: "name" is required\. "email" must be a valid/
    expect(await refusalOf(created)).to.match(refusal)
    const { id } = await create(deals, DEAL)
    await forgetEvents()
    const changed = change(deals, id, { currency: 'euro', colour: 'red' })
    expect(await refusalOf(changed)).to.match(/^VALIDATION_ERROR: "currency" must .*"colour" is not allowed/)
    expect(await types()).to.deep.equal([])
  })
})

describe('copying a list of records', () => {
  const its = useOperations()
  const dir = useTemporaryDirectory()
  const copy = (limit: number, cursor = 'start', db = its.db) =>
    copyResources({ db }, its.tenant(), contacts, { limit, cursor }, () => Promise.resolve())

  // decision: Copying lists
  it('reads the place in the feed before the first part, and no more rows than it shows', async () => {
    for (let n = 0; n < 60; n++) await createResource(its.deps, its.tenant(), contacts, { name: `${n}` })
    const { nextCursor } = await copy(2)
    const tables = async (cursor?: string) =>
      (await statementsOf(its.db, () => copy(2, cursor))).map((sql) => /from `?(\w+)/i.exec(sql)?.[1])
    expect(await tables()).to.deep.equal(['feed_heads', 'resources'])
    expect(await tables(nextCursor ?? '')).to.deep.equal(['resources'])
    expect(await countRowsRead(its.db, (trx) => copy(2, nextCursor ?? '', trx))).to.be.below(10)
  })

  // decision: Exporting a company
  it('is how an export reads records, so that a deletion between two parts moves none', async () => {
    for (let n = 0; n < 101; n++) await createResource(its.deps, its.tenant(), contacts, { name: `${n}` })
    let counts: Record<string, number> = {}
    const { companyId } = its.tenant()
    const statements = await statementsOf(its.db, async () => {
      counts = await exportCompany(its.deps, COMMAND_LINE, companyId, `${dir.path}/export`, () => undefined)
    })
    expect(counts).to.include({ contacts: 101 })
    expect(statements.filter((sql) => /offset/i.test(sql))).to.deep.equal([])
  })
})
