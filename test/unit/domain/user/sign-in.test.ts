import { expect } from 'chai'
import { evenWaitMs } from '../../../../src/domain/user/sign-in.ts'

describe('the wait after few comparisons', () => {
  // decision: The time of a refused sign-in
  it('makes up for those that were not made, by the time of those that were', () => {
    expect(evenWaitMs(30, 1, 5)).to.equal(120)
    expect(evenWaitMs(60, 2, 5)).to.equal(90)
    expect(evenWaitMs(150, 5, 5)).to.equal(0)
  })
})
