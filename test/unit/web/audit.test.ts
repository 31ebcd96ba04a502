import { expect } from 'chai'
import { AUDIT_ACTION_NAMES } from '../../../src/domain/audit/actions.ts'
import type { AuditEntry } from '../../../web/src/common/api/wire.ts'
import { factsOf, inShort, valueInWords } from '../../../web/src/audit/facts.ts'
import { actorsOf, partyIn } from '../../../web/src/audit/actors.ts'
import { texts } from '../../../web/src/audit/texts.ts'

describe('the audit page', () => {
  it('offers every action that there is', () =>
    expect(Object.keys(texts.actions)).to.have.members([...AUDIT_ACTION_NAMES]))

  it('says every action in a sentence, and what it changed in words: no null, list or time as the wire has it', () => {
    expect(Object.keys(texts.sentences)).to.have.members([...AUDIT_ACTION_NAMES])
    const shown = { prefix: 'sk', grace: '24h', user_id: 'usr_1' }
    const entry = {
      changes: [{ field: 'expires_at', before: '2026-01-15T12:00:00.000Z', after: null }],
      details: { before: {}, after: {}, fields: ['expires_at', 'url'], ...shown },
    } as unknown as AuditEntry
    const told = factsOf(entry).map(({ label, after, field }) => `${label} ${valueInWords(field, after)}`)
    expect(told).to.deep.equal(['ends never', 'URL changed', 'grace 24 h', 'user usr_1'])
    const { facts, isAll } = inShort(entry)
    expect([facts.map(({ field }) => field), isAll]).to.deep.equal([['expires_at', 'url', 'grace'], false])
    const values = { scopes: ['read:all', 'write:all'], ip_allowlist: [], is_active: false }
    const words = Object.entries({ ...values, reason: 'user_left' }).map(([field, value]) =>
      valueInWords(field, value),
    )
    expect(words).to.deep.equal(['read:all, write:all', 'any address', 'no', 'its user left'])
  })

  it('takes whom it names by the name in the rows or by an id, and of two with one name neither until it is clear which', () => {
    const actors = actorsOf([
      { id: 'usr_1', name: 'Demo user', more: 'demo@example.com' },
      { id: 'usr_2', name: 'Ann', more: 'ann@example.com' },
      { id: 'key_1', name: 'ann', more: 'sk_live_1…' },
      { id: 'cli', name: 'The operator', more: 'cli' },
    ])
    const id = 'key_01a00000-0000-7000-8000-000000000001'
    const cases = { 'Demo user': 'usr_1', ' demo USER ': 'usr_1', Demo: undefined, '': '', Ann: undefined }
    const others = { 'Ann (ann@example.com)': 'usr_2', 'ann (sk_live_1…)': 'key_1', cli: 'cli', [id]: id }
    for (const [text, named] of Object.entries({ ...cases, ...others }))
      expect(partyIn(actors, text, 'actor'), text).to.equal(named)
  })
})
