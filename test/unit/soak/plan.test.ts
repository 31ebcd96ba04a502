import { expect } from 'chai'
import { drawKills } from '../../../scripts/soak/kills.mjs'
import { readOptions } from '../../../scripts/soak/options.mjs'
import { SeededRandom } from '../../../scripts/soak/random.mjs'

/** The first kills that a seed draws. */
const killsOf = (seed: string, count: number, minutes = '10') => {
  const kills = drawKills(new SeededRandom(seed), readOptions(['--minutes', minutes, '--seed', seed]))
  return Array.from({ length: count }, () => kills.next().value!)
}

describe('the plan of npm run soak', () => {
  it('is the same for the same seed, and another one for another', () => {
    expect(killsOf('1', 8)).to.deep.equal(killsOf('1', 8))
    expect(killsOf('1', 8)).not.to.deep.equal(killsOf('2', 8))
  })

  it('kills every part once before it kills one again', () => {
    const parts = killsOf('3', 4).map(({ part }) => part)
    expect(parts).to.have.members(['worker', 'api', 'database', 'temporal'])
  })

  it('kills every 30 to 90 s, and more often in a short run', () => {
    for (const { afterMs } of killsOf('4', 20)) expect(afterMs).to.be.within(30_000, 90_000)
    for (const { afterMs } of killsOf('4', 20, '2')) expect(afterMs).to.be.within(7_500, 22_500)
  })
})
