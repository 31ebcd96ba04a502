import { expect } from 'chai'
import { ownFault } from '../../../src/workflows/contract.ts'
import { classify } from '../../../src/workflows/round.ts'

describe('what an attempt throws in a workflow', () => {
  // decision: A workflow's first attempt is a local activity
  it('is a fault of ours, after which the run goes on, also as a local activity throws it, or fails the task when it is a mistake in the workflow', () => {
    expect(classify(ownFault({ nonRetryable: true }))).to.equal('fault')
    expect(() => classify(new TypeError('x is undefined'))).to.throw(TypeError)
  })
})
