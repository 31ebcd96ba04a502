import { expect } from 'chai'
import { Turns } from '../../../../src/api/edge/paced-requests.ts'

describe('a burst of new connections', () => {
  // decision: One request of a connection at a time
  it('is taken in over turns of the event loop, in order, and others come between', async () => {
    const turns = new Turns()
    const taken: number[] = []
    for (let n = 0; n < 200; n++) turns.add(() => taken.push(n))
    const counts: number[] = []
    while (taken.length < 200) {
      await new Promise(setImmediate)
      counts.push(taken.length)
    }
    const perTurn = counts.map((count, turn) => count - (counts[turn - 1] ?? 0))
    expect(Math.max(...perTurn)).to.equal(4)
    expect(taken).to.deep.equal(Array.from({ length: 200 }, (_, n) => n))
  })
})
