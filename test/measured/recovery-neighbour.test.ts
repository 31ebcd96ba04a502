import { expect } from 'chai'
import { percentile } from '../support/drill-facts.js'
import { drill } from '../support/recovery-drill.js'
import { useStack } from '../support/use-stack.js'

/** Events of the neighbour by which it is measured before the recovery, when both endpoints answer. */
const CALM_EVENTS = 200
/** What the noise of a machine adds to a percentile of some hundred times. */
const NOISE_MS = 100

describe('the neighbour of a recovery', function () {
  this.timeout(180_000)
  const use = useStack({ environment: { DELIVERY_FIRST_ATTEMPT: 'direct', WEBHOOK_CONCURRENCY: '4' } })

  // decision: What a drill asserts
  it('gets its new events as before: their p99 rises by less than half', async function () {
    const options = { stack: use.stack, tenant: use.tenant, answerMs: 100, calmEvents: CALM_EVENTS }
    const { before, during, recovery } = await drill(options)
    expect(recovery).to.include({ status: 'done' })
    const [calmMs, busyMs] = [percentile(before, 99), percentile(during, 99)]
    this.runnable().title += ` (${calmMs} -> ${busyMs} ms)`
    expect(busyMs).to.be.below(Math.max(1.5 * calmMs, calmMs + NOISE_MS))
  })
})
