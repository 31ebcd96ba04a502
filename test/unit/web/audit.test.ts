import { expect } from 'chai'
import { AUDIT_ACTION_NAMES } from '../../../src/domain/audit/actions.ts'
import { actorIn, actorsOf } from '../../../web/src/audit/actors.ts'
import { texts } from '../../../web/src/audit/texts.ts'

describe('the audit page', () => {
  it('offers every action that there is', () => {
    expect(Object.keys(texts.actions)).to.have.members([...AUDIT_ACTION_NAMES])
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
      expect(actorIn(actors, text), text).to.equal(named)
  })
})
