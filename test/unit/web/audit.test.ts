import { expect } from 'chai'
import { AUDIT_ACTION_NAMES } from '../../../src/domain/audit/actions.ts'
import { texts } from '../../../web/src/audit/texts.ts'

describe('the audit page', () => {
  it('offers every action that there is', () => {
    expect(Object.keys(texts.actions)).to.have.members([...AUDIT_ACTION_NAMES])
  })
})
