import { expect } from 'chai'
import { percentile, secondsAllowed } from '../support/drill-facts.ts'
import { drill } from '../support/recovery-drill.ts'
import { useStack } from '../support/use-stack.ts'

/** Events of the neighbour by which it is measured before the recovery, when both endpoints answer. */
const CALM_EVENTS = 600
/** The recovery of so many lasts about as long. */
const OUTAGE_FAILURES = 500

/** The p99 of a calm half minute lies between 17 and 31 ms, so a single one says no more than this. */
const NOISE_MS = 10

const SLOTS = 4
const ANSWER_MS = 100

describe('a recovery and its neighbour on a calm machine', function () {
  this.timeout(300_000)
  const use = useStack({
    processes: true,
    environment: { DELIVERY_FIRST_ATTEMPT: 'direct', WEBHOOK_CONCURRENCY: String(SLOTS) },
  })

  // decision: What a drill asserts
  it('take no longer than the slots allow, and get new events as before: their p99 rises by less than half', async function () {
    const facts = await drill({
      stack: use.stack,
      tenant: use.tenant,
      answerMs: ANSWER_MS,
      calmEvents: CALM_EVENTS,
      outageFailures: OUTAGE_FAILURES,
      looksAtRows: false,
    })
    const { before, during, seconds } = facts
    expect(facts.recovery).to.include({ status: 'done' })
    const [calmMs, busyMs] = [percentile(before, 99), percentile(during, 99)]
    this.runnable().title += ` (${facts.failed} in ${seconds.toFixed(1)} s; ${calmMs} -> ${busyMs} ms)`
    expect(seconds).to.be.below(1.5 * secondsAllowed(facts, { slots: SLOTS, answerMs: ANSWER_MS }) + 5)
    expect(busyMs).to.be.below(1.5 * calmMs + NOISE_MS)
  })
})
