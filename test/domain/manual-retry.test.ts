import { expect } from 'chai'
import { requestRetry, type RetryVerdict } from '../../src/domain/manual-retry.js'
import { delivery } from '../support/deliveries.js'

const now = new Date('2026-01-05T12:00:00.000Z')
const later = (durationMs: number) => new Date(now.getTime() + durationMs)

function queued(verdict: RetryVerdict) {
  if (verdict.kind !== 'queued') throw new Error(verdict.kind)
  return verdict.delivery
}

describe('a manual retry', () => {
  it('is refused for a delivery that succeeded', () => {
    expect(requestRetry(delivery({ status: 'success' }), 5, now).kind).to.equal('refused')
  })

  it('comes on top of the automatic attempts of an open delivery, at once', () => {
    const waiting = delivery({ status: 'retrying', attempts: 1, maxAttempts: 3, nextRetryAt: later(60_000) })
    const after = queued(requestRetry(waiting, 2, now))
    expect(after).to.include({ attempts: 1, maxAttempts: 4, attemptsBase: 1, retrySeq: 1 })
    expect(after.nextRetryAt).to.deep.equal(now)
  })

  it('gives a failed delivery all its attempts again', () => {
    const failed = delivery({ status: 'failed', attempts: 3, maxAttempts: 3, closedReason: 'attempts_used' })
    const after = queued(requestRetry(failed, 5, now))
    expect(after).to.include({ status: 'retrying', maxAttempts: 9, attemptsBase: 3, closedReason: null })
  })

  it('is one wish when it is repeated at once, and a new one later', () => {
    const first = queued(requestRetry(delivery({ status: 'failed', attempts: 3 }), 5, now))
    expect(requestRetry(first, 5, later(500)).kind).to.equal('merged')
    const second = queued(requestRetry(first, 5, later(1_500)))
    expect(second).to.include({ retrySeq: 2, maxAttempts: first.maxAttempts })
  })
})
