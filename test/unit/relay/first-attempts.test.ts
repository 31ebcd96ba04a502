import { expect } from 'chai'
import type { FirstAttempt } from '../../../src/domain/delivery/first-attempt.ts'
import { FirstAttempts } from '../../../src/relay/first-attempts.ts'

const PER_SECOND = 20

describe('who makes first attempts', () => {
  function setUp(mode: FirstAttempt) {
    const its = { nowMs: 0, isSlow: false, changes: [] as boolean[] }
    const made = new FirstAttempts({
      mode,
      perSecond: () => PER_SECOND,
      nowMs: () => its.nowMs,
      onChange: (isDirect) => its.changes.push(isDirect),
    })
    const firstAttempts = {
      isDirect: () => made.isDirect(its),
      takes: (count: number) => made.takes(count),
    }
    /** So many first attempts in each of so many seconds. */
    const during = (seconds: number, perSecond: number) => {
      for (let second = 0; second < seconds; second++) {
        its.nowMs += 1_000
        firstAttempts.isDirect()
        firstAttempts.takes(perSecond)
      }
      return firstAttempts.isDirect()
    }
    return { its, firstAttempts, during }
  }

  for (const mode of ['workflow', 'direct'] as const) {
    it(`stays with ${mode} whatever happens`, () => {
      const { its, firstAttempts } = setUp(mode)
      its.isSlow = true
      expect(firstAttempts.takes(10 * PER_SECOND)).to.equal(mode === 'direct')
      expect(firstAttempts.isDirect()).to.equal(mode === 'direct')
      expect(its.changes).to.deep.equal([mode === 'direct'])
    })
  }

  // decision: Adaptive
  it('leaves as many to workflows in a second as it may, and takes the claim that exceeds them', () => {
    const { firstAttempts } = setUp('adaptive')
    expect(firstAttempts.takes(PER_SECOND)).to.equal(false)
    expect(firstAttempts.takes(1)).to.equal(true)
  })

  it('stays with workflows while no second brings more', () => {
    const { during } = setUp('adaptive')
    expect(during(100, PER_SECOND)).to.equal(false)
  })

  it('goes back after 30 s with at most half of that, and not before', () => {
    const { its, during } = setUp('adaptive')
    during(1, PER_SECOND + 1)
    expect(during(28, PER_SECOND / 2)).to.equal(true)
    expect(during(1, PER_SECOND / 2 + 1)).to.equal(true)
    expect(during(29, PER_SECOND / 2)).to.equal(true)
    expect(during(1, PER_SECOND / 2)).to.equal(false)
    expect(its.changes).to.deep.equal([false, true, false])
  })

  it('makes them itself while Temporal is slow, and for 30 s after that', () => {
    const { its, firstAttempts, during } = setUp('adaptive')
    its.isSlow = true
    expect(firstAttempts.isDirect()).to.equal(true)
    its.isSlow = false
    expect(during(29, 0)).to.equal(true)
    expect(during(1, 0)).to.equal(false)
  })
})
