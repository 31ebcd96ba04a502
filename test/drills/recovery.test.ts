// Only in .ci/run: traffic for most of a minute; recovery-killed.test.ts plays the same with kills.
import { expect } from 'chai'
import { percentile } from '../../bench/support/figures.ts'
import { mostUnderWay } from '../../src/domain/recovery/recovery.ts'
import { until, untilIs } from '../support/poll.ts'
import { secondsAllowed, drill, type Played } from '../support/recovery-drill.ts'
import { useStack } from '../support/use-stack.ts'

const SLOTS = 4
const ANSWER_MS = 100
const RESENT = 3
/**
 * The factor by which a recovery may exceed the time that its slots allow. Ten busy processes on two cores caused a
 * factor of eight. A recovery that waits for the reconciler takes five minutes.
 */
const BUSY = { factor: 10, seconds: 60 }

describe('a recovery under traffic', function () {
  this.timeout(240_000)
  const use = useStack({
    processes: true,
    environment: { DELIVERY_FIRST_ATTEMPT: 'direct', WEBHOOK_CONCURRENCY: String(SLOTS) },
  })

  /** Repeats the oldest events of the traffic. The publish changes nothing, and each resend makes one delivery. */
  async function repeat({ webhook, own }: Played): Promise<void> {
    const ids = [...own.published.keys()].slice(0, RESENT)
    for (const id of ids) {
      const event = { id, event: 'contact.created', data: {} }
      expect((await use.tenant.request('POST', '/api-v1-events', event)).status).to.equal(200)
    }
    for (const eventId of ids) {
      const ended = await until(
        () => webhook.deliveries(`?event_id=${eventId}&status=success&cursor=`),
        (found) => found.length > 0,
        { withinMs: 60_000, what: 'a delivery that may be sent again' },
      )
      expect((await webhook.resend(ended[0].id)).status).to.equal(202)
    }
  }

  // decision: Twice the slots
  // decision: What a drill asserts
  it('brings what failed in the time that the slots allow, loses and repeats nothing, and spares a neighbour', async function () {
    const options = { stack: use.stack, tenant: use.tenant, answerMs: ANSWER_MS }
    const facts = await drill({ ...options, disturb: repeat })
    const { failed, recovered, seconds, looks } = facts
    expect(recovered).to.be.at.least(failed * 0.99)
    expect(facts.recovery).to.include({ status: 'done' })
    const allowedS = secondsAllowed(facts, { slots: SLOTS, answerMs: ANSWER_MS })
    expect(seconds).to.be.below(BUSY.factor * allowedS + BUSY.seconds)
    expect(facts.lost).to.deep.equal([])
    expect(facts.twice).to.deep.equal([])
    expect(looks.mostUnderWay).to.be.within(SLOTS, mostUnderWay(SLOTS))
    expect(percentile(facts.overtaking, 0.9)).to.be.at.most(mostUnderWay(SLOTS))
    const deliveries = facts.accepted + RESENT
    expect(facts.shown).to.include({ total_deliveries: deliveries, successful_deliveries: deliveries })
    expect(facts.shown).to.include({ failed_deliveries: 0 })
    const ofWebhook = use.stack.db('deliveries').where({ webhook_id: facts.webhook.id })
    const [row] = await ofWebhook.sum({ sum: 'attempts' })
    const path = `/api-v1-webhooks/${facts.webhook.id}/stats`
    const counted = async () => (await use.tenant.request('GET', path)).body.data.totals.attempts as number
    await untilIs(counted, Number(row!.sum), { what: 'statistics with every attempt' })
    this.runnable().title += ` (${failed} in ${seconds.toFixed(1)} s, ${looks.count} looks)`
  })
})
