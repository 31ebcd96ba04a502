import { expect } from 'chai'
import * as records from '../../../../src/domain/event/resources.ts'
import { NAMED_BODY_BYTES, recordNameOf } from '../../../../src/domain/event/record-name.ts'
import { words } from '../../../support/words.ts'

const A = { name: 'a', stage: 'new', completed: false, custom: { list: [1] } }
const RENAMED = { ...A, name: 'b' }
const GONE = undefined
const DONE = { ...A, completed: true }

/** What a change of a record publishes: the record before and after the change, and the event types. */
type Change = readonly [records.Fields | undefined, records.Fields | undefined, string[]]
const CHANGES: Readonly<Record<records.ResourceFamily, readonly Change[]>> = {
  contacts: [
    [GONE, A, ['contact.created']],
    [A, RENAMED, ['contact.updated']],
    [A, { ...A, custom: { list: [1] } }, []],
    [A, { ...A, custom: { list: [2] } }, ['contact.updated']],
    [A, GONE, ['contact.deleted']],
  ],
  organizations: [
    [GONE, A, ['organization.created']],
    [A, RENAMED, ['organization.updated']],
    [A, GONE, ['organization.deleted']],
  ],
  deals: [
    [GONE, A, ['deal.created']],
    [A, A, []],
    [A, RENAMED, ['deal.updated']],
    [A, { ...A, stage: 'won' }, ['deal.stage_changed']],
    [A, { ...RENAMED, stage: 'won' }, ['deal.updated', 'deal.stage_changed']],
    [A, GONE, ['deal.deleted']],
  ],
  activities: [
    [GONE, A, ['activity.created']],
    [A, RENAMED, []],
  ],
  tasks: [
    [GONE, A, ['task.created']],
    [GONE, DONE, ['task.created', 'task.completed']],
    [A, DONE, ['task.completed']],
    [DONE, { ...DONE, name: 'b' }, []],
    [DONE, A, []],
    [A, RENAMED, []],
    [A, GONE, []],
  ],
}

describe('records', () => {
  for (const [family, changes] of Object.entries(CHANGES))
    it(`of ${family} publish the events of the specification when they change`, () => {
      const { events } = records.RESOURCE_FAMILIES[family as records.ResourceFamily]
      for (const [before, after, types] of changes) expect(events(before, after)).to.deep.equal(types)
    })

  it('of every family can be changed and deleted, except activities, and ask for the write scope of the family of their events', () => {
    const families = Object.entries(records.RESOURCE_FAMILIES)
    const fixed = families.filter(([, { isChangeable }]) => !isChangeable).map(([name]) => name)
    expect(fixed).to.deep.equal(['activities'])
    for (const [name, { family }] of families) expect(family).to.equal(name)
    const scopes = words('write:organizations write:contacts write:deals write:activities write:tasks')
    const entities = words('organization contact deal activity task')
    expect(entities.map(records.writeScopeOf)).to.deep.equal(scopes)
    expect(records.writeScopeOf('webhook')).to.equal(undefined)
    expect(records.titleOf('contact')).to.equal('Contact')
  })

  it('begin with a value for each field, and keep what a change does not give', () => {
    const { contacts, deals, tasks } = records.RESOURCE_FAMILIES
    const contact = { name: 'Ada', email: null, phone: null, custom: {} }
    expect(records.newFields(contacts, { name: 'Ada' })).to.deep.equal(contact)
    expect(records.newFields(deals, { name: 'a' })).to.include({ stage: 'new', amount: null, currency: null })
    expect(records.newFields(tasks, { name: 'a' })).to.include({ completed: false, due_at: null })
    const merged = records.mergeFields(contacts, { ...contact, phone: '1' }, { name: 'Eve', phone: null })
    expect(merged).to.deep.equal({ ...contact, name: 'Eve' })
  })
})

describe('the former values of a change', () => {
  it('are those of all fields that it changed, and of a completed task only that', () => {
    const changed = { ...DONE, name: 'b' }
    expect(records.formerValues('contact.updated', A, changed)).to.deep.equal({ name: 'a', completed: false })
    expect(records.formerValues('task.completed', A, changed)).to.deep.equal({ completed: false })
  })
})

// decision: Names of records
describe('the name of a record', () => {
  it('is the first text among name, title and subject of the data, at most 200 characters of it', () => {
    const cases: [object, string | null][] = [
      [{ name: 'Ada', title: 'Dr', subject: 'Call' }, 'Ada'],
      [{ name: ' ', title: 'Dr', subject: 'Call' }, 'Dr'],
      [{ name: 17, title: ['Dr'], subject: 'Call' }, 'Call'],
      [{ name: { first: 'Ada' }, message: 'Ada' }, null],
      [{}, null],
      [{ name: '😀'.repeat(201) }, '😀'.repeat(200)],
      [{ name: `a${'😀'.repeat(200)}` }, `a${'😀'.repeat(199)}`],
    ]
    for (const [data, name] of cases)
      expect(recordNameOf(Buffer.from(JSON.stringify({ data }))), JSON.stringify(data)).to.equal(name)
    expect(recordNameOf(null)).to.equal(null)
    const body = JSON.stringify({ data: { name: 'Ada' } })
    expect(recordNameOf(Buffer.from(body.padEnd(NAMED_BODY_BYTES)))).to.equal('Ada')
    const tooLong = body.padEnd(NAMED_BODY_BYTES + 1)
    for (const odd of ['{"data":null}', '{"data":"name"}', '{}', 'null', '[1]', '{"data":', tooLong])
      expect(recordNameOf(Buffer.from(odd)), odd).to.equal(null)
  })
})
