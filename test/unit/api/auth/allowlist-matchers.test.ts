import { expect } from 'chai'
import { createAllowlistMatchers } from '../../../../src/api/auth/allowlist-matchers.ts'

describe('the matchers of allowlists', () => {
  it('gives lists of the same content the same matcher, and no other list', () => {
    const matcherOf = createAllowlistMatchers()
    expect(matcherOf(['10.0.0.0/8'])).to.equal(matcherOf(['10.0.0.0/8']))
    expect(matcherOf(['10.0.0.0/8'])('192.0.2.1')).to.equal(false)
    expect(matcherOf(['192.0.2.1'])('192.0.2.1')).to.equal(true)
    expect(matcherOf([])('192.0.2.1')).to.equal(true)
    expect(matcherOf(['10.0.0.0/8', '192.0.2.1'])('192.0.2.1')).to.equal(true)
  })

  it('forgets the list that was used longest ago, and answers for it none the less', () => {
    const matcherOf = createAllowlistMatchers()
    const [first, kept] = [matcherOf(['10.0.0.1']), matcherOf(['10.0.0.2'])]
    for (let index = 0; index < 999; index++) {
      matcherOf([`10.1.${index >> 8}.${index & 255}`])
      expect(matcherOf(['10.0.0.2'])).to.equal(kept)
    }
    const again = matcherOf(['10.0.0.1'])
    expect(again).to.not.equal(first)
    expect([again('10.0.0.1'), again('10.0.0.2')]).to.deep.equal([true, false])
  })
})
