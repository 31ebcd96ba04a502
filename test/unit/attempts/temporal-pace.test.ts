import { expect } from 'chai'
import { TemporalPace } from '../../../src/attempts/temporal-load.ts'

// decision: The pace of recoveries
describe('the pace of recoveries', () => {
  let nowMs = 0
  const pace = new TemporalPace({ nowMs: () => nowMs, pause: (ms) => Promise.resolve((nowMs += ms)) })

  function deliver(count: number, ms: number): void {
    for (let number = 0; number < count; number++) {
      pace.started('del_1')
      nowMs += ms
      pace.reached('del_1')
      pace.reached('del_2')
    }
  }
  /** How many deliveries a second `turns` lets through. */
  async function rate(): Promise<number> {
    await pace.turn()
    await pace.turn()
    const startedMs = nowMs
    for (let turns = 0; turns < 100; turns++) await pace.turn()
    return (100 / (nowMs - startedMs)) * 1000
  }

  it('is a third of what Temporal manages one at a time, follows it, and never stands still, whether nothing is known or Temporal hardly answers', async () => {
    expect(await rate()).to.be.closeTo(20 / 3, 0.1)
    deliver(100, 20)
    expect(await rate()).to.be.closeTo(50 / 3, 0.1)
    deliver(100, 100)
    expect(await rate()).to.be.closeTo(10 / 3, 0.1)
    deliver(10, 60_000)
    expect(await rate()).to.be.closeTo(2, 0.1)
  })
})
