import { expect } from 'chai'
import type { Delivery } from '../../../../src/domain/delivery/delivery.ts'
import type { MadeAttempt } from '../../../../src/domain/delivery/outcome.ts'
import { reportOf } from '../../../../src/domain/delivery/view.ts'
import * as moves from '../../../../src/domain/delivery/transitions.ts'
import { delivery, madeAttempt as made } from '../../../support/deliveries.ts'

const now = new Date('2026-01-05T12:00:00.000Z')

/** An answer with a Retry-After of a minute. */
const ASKING = { kind: 'answered', status: 503, body: '', retryAfter: '60', durationMs: 1 } as const

const decide = (row = delivery(), attempt = made()) => moves.recordOutcome(row, attempt, now, 0.5)

function recorded(row?: Delivery, attempt?: MadeAttempt) {
  const decision = decide(row, attempt)
  if (decision.kind !== 'recorded') throw new Error('the outcome was dropped as stale')
  return decision
}

// decision: A late 2xx
describe('recording an outcome', () => {
  it('makes a 2xx a success, delivered now, with nothing scheduled, and every other status a failure, redirects and 1xx included', () => {
    for (const status of [200, 204, 299]) {
      const { delivery: after } = recorded(delivery(), made({}, status))
      expect(after).to.include({ status: 'success', attempts: 1, responseCode: status, nextRetryAt: null })
      expect(after.deliveredAt).to.deep.equal(now)
    }
    for (const status of [101, 199, 300, 302, 400, 404, 410, 500, 999])
      expect(recorded(delivery(), made({}, status)).delivery.status).to.equal('retrying')
  })

  it('schedules the next attempt by exactly the delay that Temporal is given, from the start after a requeueing, and fails the delivery with its last one', () => {
    const { delivery: after, delayMs } = recorded()
    expect(after.nextRetryAt?.getTime()).to.equal(now.getTime() + delayMs)
    expect(delayMs).to.equal(1_000)
    const row = delivery({ status: 'retrying', attempts: 3, maxAttempts: 6, attemptsBase: 3 })
    expect(recorded(row, made({ attemptsAtGate: 3 })).delayMs).to.equal(1_000)
    const last = recorded(delivery({ status: 'retrying', attempts: 2 }), made({ attemptsAtGate: 2 }))
    const ended = { status: 'failed', attempts: 3, closedReason: 'attempts_used', nextRetryAt: null }
    expect(last.delivery).to.include(ended)
  })

  it('drops an outcome whose row has moved on, but still closes an open delivery when a 2xx comes late', () => {
    expect(decide(delivery({ attempts: 1, status: 'retrying' })).kind).to.equal('stale')
    expect(decide(delivery({ status: 'success' }), made({}, 200)).kind).to.equal('stale')
    const row = delivery({ attempts: 3, maxAttempts: 3, status: 'retrying' })
    const { delivery: after } = recorded(row, made({}, 200))
    expect(after).to.include({ status: 'success', attempts: 3 })
  })

  it('makes one more attempt at once for a retry that arrived while the last one was on its way, and serves every one that the gate had read', () => {
    const row = delivery({ status: 'retrying', attempts: 2, maxAttempts: 3, retrySeq: 1, retryServed: 0 })
    const { delivery: after, delayMs } = recorded(row, made({ attemptsAtGate: 2, retrySeqAtGate: 0 }))
    expect(after).to.include({ status: 'retrying', attempts: 3, maxAttempts: 4 })
    expect(delayMs).to.equal(0)
    const asked = delivery({ status: 'retrying', attempts: 1, retrySeq: 20, retryServed: 0 })
    const served = recorded(asked, made({ attemptsAtGate: 1, retrySeqAtGate: 20 }))
    expect(served.delivery.retryServed).to.equal(20)
  })

  // decision: Direct retries
  it('leaves a retry to the worker while it is due within the time for direct ones, and then to a workflow', () => {
    const directLease = { rowId: 1, version: 1, owner: 'w1' }
    const nextOf = (row = delivery(), fields = {}) => {
      const { delivery: after } = recorded(row, made({ directLease, ...fields }))
      return after.isInTemporal ? 'workflow' : 'worker'
    }
    const until = (ms: number) => ({ directUntil: new Date(now.getTime() + ms) })
    expect(nextOf(delivery(), until(1_000))).to.equal('worker')
    expect(nextOf(delivery(), until(999))).to.equal('workflow')
    expect(nextOf(delivery())).to.equal('workflow')
    expect(nextOf(delivery({ isInTemporal: true }), until(1_000))).to.equal('workflow')
    expect(nextOf(delivery({ maxAttempts: 1 }), until(1_000))).to.equal('workflow')
    expect(nextOf(delivery(), { ...until(10_000), outcome: ASKING })).to.equal('workflow')
  })

  it('is reported with its code, the delay until the next attempt, none after the last one, and who makes it', () => {
    const reported = (row = delivery(), fields = {}, status = 503) =>
      reportOf(recorded(row, made(fields, status)))
    const failed = { kind: 'failed', code: 'http_503', isNextDirect: false }
    expect(reported()).to.deep.equal({ ...failed, delayMs: 1_000 })
    expect(reported(delivery({ maxAttempts: 1 }))).to.deep.equal({ ...failed, delayMs: undefined })
    const directUntil = new Date(now.getTime() + 1_000)
    expect(reported(delivery(), { directUntil })).to.include({ isNextDirect: true })
    expect(reported(delivery(), {}, 200)).to.deep.equal({ kind: 'closed', ending: 'success' })
  })

  it('says that a 410 deactivates the webhook, but not when it answers a test event', () => {
    expect(recorded(delivery(), made({}, 410)).isGone).to.equal(true)
    expect(recorded(delivery(), made({}, 404)).isGone).to.equal(false)
    const test = delivery({ eventId: 'evt_test_1', maxAttempts: 1 })
    expect(recorded(test, made({}, 410)).isGone).to.equal(false)
  })

  it('keeps no code and no body of an endpoint that was not reached, and waits as long as one asks with Retry-After', () => {
    const outcome = { kind: 'unreachable', reason: 'connect_timeout', durationMs: 5_000 } as const
    const { delivery: after, delayMs } = recorded(delivery(), made({ outcome }))
    expect(after).to.include({ responseCode: null, responseBody: null, requestDurationMs: 5_000 })
    expect(delayMs).to.equal(1_000)
    expect(recorded(delivery(), made({ outcome: ASKING })).delayMs).to.equal(60_000)
  })

  it('leaves the later attempts to a workflow, unless a worker has delivered at once', () => {
    const isInTemporalAfter = (isInTemporal: boolean, status: number) =>
      recorded(delivery({ isInTemporal }), made({}, status)).delivery.isInTemporal
    expect([500, 200].map((status) => isInTemporalAfter(false, status))).to.deep.equal([true, false])
    expect(isInTemporalAfter(true, 200)).to.equal(true)
  })
})

describe('a delivery without an attempt', () => {
  const open = delivery({ status: 'retrying', attempts: 1, retrySeq: 2, nextRetryAt: new Date(0) })

  it('is closed for its reason, with nothing scheduled and no retry request left', () => {
    const closed = { status: 'failed', closedReason: 'webhook_deleted', nextRetryAt: null, retryServed: 2 }
    expect(moves.close({ ...open, parkedAt: now }, 'webhook_deleted')).to.deep.equal({ ...open, ...closed })
  })

  it('is parked as it is, and due at once when that ends', () => {
    const parked = moves.park(open, now)
    expect(parked).to.deep.equal({ ...open, parkedAt: now })
    expect(moves.resume(parked, now)).to.deep.equal({ ...open, nextRetryAt: now })
    const first = moves.resume(moves.park(delivery(), now), now)
    expect(first, 'before its first attempt').to.deep.equal(delivery())
  })
})
