import { expect } from 'chai'
import { createTally } from '../../scripts/lib/tally.mjs'

describe('the tally of a test run', () => {
  const good = { passes: 2, failures: 0, failed: [] }

  it('adds up suites that run side by side, whichever ends first', async () => {
    const tally = createTally()
    const suite = async (ticks: number, failures: number) => {
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      const failed = Array.from({ length: failures }, (_, n) => `test ${n}`)
      return tally.addSuite('test/x', failures, { passes: 1, failures, failed })
    }
    expect(await Promise.all([suite(5, 2), suite(1, 0), suite(3, 1)])).to.deep.equal([false, true, false])
    expect(tally.isGood()).to.equal(false)
    expect(tally.summary(1)).to.match(/^✗ test 0\n✗ test 0\n✗ test 1\n\n3 passed, 3 failed$/)
  })

  it('says at its end what was left out, before the counts', () => {
    const tally = createTally()
    tally.pass()
    tally.note('!!! MySQL suites skipped: no network')
    expect(tally.summary(0)).to.equal('!!! MySQL suites skipped: no network\n\n1 passed, 0 failed')
  })

  it('counts a mocha that fails without a failed test as one failure, and names it', () => {
    const tally = createTally()
    expect(tally.addSuite('test/x', 7, good)).to.equal(false)
    expect(tally.summary(1)).to.equal('✗ test/x (exit code 7)\n\n2 passed, 1 failed')
  })

  it('counts a mocha that wrote no result as one failure, also when it ended with code 0', () => {
    const tally = createTally()
    expect(tally.addSuite('test/x', 0, undefined)).to.equal(false)
    expect(tally.isGood()).to.equal(false)
    expect(tally.summary(1)).to.equal('✗ test/x (no result, exit code 0)\n\n0 passed, 1 failed')
  })

  it('counts checks, and a run that ends badly for no counted reason', () => {
    const tally = createTally()
    tally.pass()
    expect(tally.isGood()).to.equal(true)
    expect(tally.summary(0)).to.equal('\n1 passed, 0 failed')
    expect(tally.summary(130)).to.equal('\n1 passed, 1 failed')
    tally.fail('lint')
    expect(tally.isGood()).to.equal(false)
    expect(tally.summary(1)).to.equal('✗ lint\n\n1 passed, 1 failed')
  })
})
