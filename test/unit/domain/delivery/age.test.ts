import { expect } from 'chai'
import { ageClass } from '../../../../src/domain/delivery/age.ts'

const NOW = new Date('2026-01-31T12:00:00.000Z')
const ago = (ms: number): Date => new Date(NOW.getTime() - ms)

describe('the age of a delivery', () => {
  it('is one of four classes, or unknown', () => {
    const ages = [0, 59_999, 60_000, 3_599_999, 3_600_000, 86_399_999, 86_400_000].map((ms) =>
      ageClass(ago(ms), NOW),
    )
    const expected = ['under_1m', 'under_1m', 'under_1h', 'under_1h', 'under_1d', 'under_1d', 'older']
    expect(ages).to.deep.equal(expected)
    expect(ageClass(undefined, NOW)).to.equal('unknown')
  })

  it('is the youngest class where clocks differ and it was made a moment ahead', () => {
    expect(ageClass(ago(-500), NOW)).to.equal('under_1m')
  })
})
