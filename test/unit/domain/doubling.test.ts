import { expect } from 'chai'
import { doublingPause } from '../../../src/domain/doubling.ts'

describe('The pauses of a back-off', () => {
  it('double from the first to the longest, however many there were', () => {
    const pauses = [0, 1, 2, 3, 4, 2_000].map((before) =>
      doublingPause({ first: 250, longest: 3_000 }, before),
    )
    expect(pauses).to.deep.equal([250, 500, 1_000, 2_000, 3_000, 3_000])
  })
})
