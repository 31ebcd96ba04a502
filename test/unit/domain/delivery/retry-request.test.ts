import { expect } from 'chai'
import type { Delivery } from '../../../../src/domain/delivery/delivery.ts'
import * as retries from '../../../../src/domain/delivery/retry-request.ts'
import { delivery } from '../../../support/deliveries.ts'

const now = new Date('2026-01-05T12:00:00.000Z')
const later = (durationMs: number) => new Date(now.getTime() + durationMs)

/** Requested and decided at the same moment, long after every attempt. */
const at = (moment: Date): retries.RetryTimes => ({ arrivedAt: moment, now: moment, attemptEndedAt: null })

function queued(row: Delivery, moment = now, maxRetries = 5) {
  const verdict = retries.decideRetry(row, maxRetries, at(moment))
  if (verdict.kind !== 'queued') throw new Error(verdict.kind)
  return verdict.delivery
}

// decision: Manual retry of an open delivery
describe('a manual retry', () => {
  it('is refused for a delivery that succeeded', () =>
    expect(retries.decideRetry(delivery({ status: 'success' }), 5, at(now)).kind).to.equal('refused'))

  it('comes on top of the automatic attempts of an open delivery, at once', () => {
    const waiting = delivery({ status: 'retrying', attempts: 1, maxAttempts: 3, nextRetryAt: later(60_000) })
    const after = queued(waiting)
    expect(after).to.include({ attempts: 1, maxAttempts: 4, attemptsBase: 1, retrySeq: 1 })
    expect(after.nextRetryAt).to.deep.equal(now)
    const pending = { status: 'pending', nextRetryAt: null }
    expect(queued(delivery()), 'a pending one').to.include(pending)
  })

  it('gives a failed delivery all its attempts again', () => {
    const failed = delivery({ status: 'failed', attempts: 3, maxAttempts: 3, closedReason: 'attempts_used' })
    const after = queued(failed)
    expect(after).to.include({ status: 'retrying', maxAttempts: 9, attemptsBase: 3, closedReason: null })
    expect(after, 'which its workflow makes').to.include({ isInTemporal: true })
  })

  // decision: The same retry request
  it('is one request when it is repeated at once, and a new one later or after the clock was set back', () => {
    const first = queued(delivery({ status: 'failed', attempts: 3 }))
    expect(retries.decideRetry(first, 5, at(later(500))).kind).to.equal('merged')
    const second = queued(first, later(1_500))
    expect(second).to.include({ retrySeq: 2, maxAttempts: first.maxAttempts })
    expect(queued(first, later(-1_000))).to.include({ retrySeq: 2 })
  })

  // decision: The same retry request
  describe('that had to wait for the row while the attempt of another one was made', () => {
    const asked = queued(delivery({ status: 'failed', attempts: 3 }), now, 0)
    const served = { ...asked, status: 'failed' as const, attempts: 4, retryServed: asked.retrySeq }
    const decided = (arrivedAt: Date, moment = later(300)) =>
      retries.decideRetry(served, 0, { arrivedAt, now: moment, attemptEndedAt: later(100) }).kind

    it('is the same request when it arrived before that attempt was over, and did not wait for too long', () => {
      expect([decided(later(-20)), decided(later(100))]).to.deep.equal(['merged', 'merged'])
      expect(decided(later(101)), 'the result could be seen').to.equal('queued')
      expect(decided(later(50), later(1_000)), 'too long for a repetition').to.equal('queued')
    })
  })
})
