import { expect } from 'chai'
import { drill, p99 } from '../support/recovery-drill.js'
import { useStack } from '../support/use-stack.js'

const SLOTS = 4
const ANSWER_MS = 100
/** What the noise of a busy machine adds to a percentile of some hundred times. */
const NOISE_MS = 100

describe('a recovery under traffic', function () {
  this.timeout(120_000)
  const use = useStack({
    environment: { DELIVERY_FIRST_ATTEMPT: 'direct', WEBHOOK_CONCURRENCY: String(SLOTS) },
  })

  // decision: Twice the slots
  it('brings what failed in the time that the slots allow, loses and repeats nothing, and spares a neighbour', async function () {
    const facts = await drill({ stack: use.stack, tenant: use.tenant, answerMs: ANSWER_MS })
    const { failed, recovered, seconds, before, during } = facts
    expect(recovered).to.be.at.least(failed * 0.99)
    expect(facts.recovery).to.include({ status: 'done' })
    // New events, 20 a second, take half of the slots.
    const allowedS = (failed * ANSWER_MS) / 1000 / (SLOTS / 2)
    expect(seconds).to.be.below(1.5 * allowedS + 5)
    expect(facts.lost).to.deep.equal([])
    expect(facts.twice).to.deep.equal([])
    expect(p99(during)).to.be.below(Math.max(1.5 * p99(before), p99(before) + NOISE_MS))
    this.runnable().title += ` (${failed} in ${seconds.toFixed(1)} s; p99 of the neighbour ${p99(before)} -> ${p99(during)} ms)`
  })
})
