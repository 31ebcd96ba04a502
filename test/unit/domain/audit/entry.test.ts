import { expect } from 'chai'
import * as audit from '../../../../src/domain/audit/entry.ts'
import { csvLine } from '../../../../src/presenters/audit.ts'
import { newId } from '../../../../src/domain/ids.ts'

const record = (fields: Partial<audit.AuditRecord>): audit.AuditRecord => ({
  number: 1,
  at: new Date(0),
  actor: { id: 'cli' },
  actorName: null,
  action: 'key.update',
  targetId: 'key_1',
  targetName: 'CRM',
  details: {},
  ...fields,
})

describe('an entry of the audit in words', () => {
  const [crm, erp] = ['CRM', 'ERP'].map((name) => ({ name, is_active: true }))
  const update = { name: 'a', ...audit.changeDetails(crm!, erp!) }

  for (const [fields, sentence] of [
    [{}, 'The operator changed the API key “CRM”'],
    [{ actor: { id: 'system' } }, 'The service changed the API key “CRM”'],
    [{ actor: { id: 'temporal' } }, 'Somebody in Temporal changed the API key “CRM”'],
    [{ actorName: 'Ann', details: update }, 'Ann changed the API key “CRM”: name CRM → ERP, name a'],
    [{ actor: { id: 'usr_gone' }, targetName: null }, 'usr_gone changed the API key key_1'],
    [{ targetName: '$& $1' }, 'The operator changed the API key “$& $1”'],
    [{ action: 'of.later' }, 'The operator of.later “CRM”'],
    [{ details: { fields: ['url', 'isActive'] } }, 'The operator changed the API key “CRM”: url, is active'],
    [{ action: 'session.start', details: { second_factor: 'a' } }, 'The operator signed in: second factor a'],
  ] as const)
    it(sentence, () => expect(audit.summaryOf(record(fields))).to.equal(sentence))

  it('is cut where it is long, and holds the fields of a change alone, long values left out', () => {
    expect(audit.summaryOf(record({ targetName: 'x'.repeat(600) }))).to.have.length(500)
    const changed = audit.changeDetails({ a: 1, b: null }, { a: 1, b: ['x'.repeat(600)] })
    const shown = { field: 'b', before: null, after: '(604 characters)' }
    expect(audit.changesOf(changed)).to.deep.equal([shown])
    expect(audit.changesOf({ before: 'odd', after: 1 })).to.deep.equal([])
    expect(audit.changesOf({ before: null, after: null })).to.deep.equal([])
    const fits = 'x'.repeat(500)
    const kept = audit.keptDetails({ fits, long: `${fits}x` })
    expect(kept).to.deep.equal({ fits, long: '(501 characters)' })
  })

  it('is of a user, a key, the operator, the service, or somebody in Temporal', () => {
    const actors = [newId('user'), newId('apiKey'), 'cli', 'system', 'temporal']
    expect(actors.filter((id) => !audit.isActorId(id))).to.deep.equal([])
    expect([newId('webhook'), 'toString', 'usr_1', ''].filter(audit.isActorId)).to.deep.equal([])
  })
})

describe('a line of CSV', () => {
  it('holds no formula, and every cell whole', () => {
    const cells = ['=1+1', '+1', '-1', '@A1', '\t=1', '\r=1', '\n=1', '＝1', 'a"b', 'a,b\r\nc', '1=1', '']
    const line = `"'=1+1","'+1","'-1","'@A1","'\t=1","'\r=1","'\n=1","'＝1","a""b","a,b\r\nc","1=1",""\r\n`
    expect(csvLine(cells)).to.equal(line)
  })
})
