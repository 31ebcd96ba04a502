import { retryDelayMs } from './backoff.js'
import {
  hasUnservedRetry,
  isOpen,
  isTest,
  type Attempt,
  type ClosedReason,
  type Delivery,
} from './delivery.js'
import { isGone, isSuccessful, toAttempt, type MadeAttempt } from './outcome.js'

/*
 * Every move of a delivery's state. Each function takes the row, read under its lock, and returns the row to write.
 * DELIVERY_STATUSES says what the states mean and who makes each move.
 */

/** What an outcome changes in the delivery. */
export type Decision =
  | { readonly kind: 'stale' }
  | {
      readonly kind: 'recorded'
      readonly attempt: Attempt
      readonly delivery: Delivery
      /** 0 when an attempt is due at once or none is scheduled. */
      readonly delayMs: number
      /** The endpoint said 410 Gone to a delivery other than a test event. */
      readonly isGone: boolean
    }

/**
 * Records the outcome of an attempt. An outcome whose row has moved on is stale and dropped, except a 2xx, which still
 * closes an open delivery.
 *
 * @param random uniform in [0, 1), for the jitter
 */
export function recordOutcome(delivery: Delivery, made: MadeAttempt, now: Date, random: number): Decision {
  const isSuccess = isSuccessful(made.outcome)
  const isCurrent = delivery.attempts === made.attemptsAtGate
  if (!isOpen(delivery) || (!isCurrent && !isSuccess)) return { kind: 'stale' }
  const attempts = Math.min(delivery.attempts + 1, delivery.maxAttempts)
  const attempt = toAttempt(made, attempts)
  const retryServed = Math.max(delivery.retryServed, Math.min(made.retrySeqAtGate, delivery.retrySeq))
  const isAskedAgain = hasUnservedRetry({ ...delivery, retryServed })
  const common: Delivery = {
    ...delivery,
    attempts,
    maxAttempts: isAskedAgain ? Math.max(delivery.maxAttempts, attempts + 1) : delivery.maxAttempts,
    retryServed,
    responseCode: attempt.responseCode,
    responseBody: attempt.responseBody,
    requestDurationMs: attempt.durationMs,
    nextRetryAt: null,
    parkedAt: null,
  }
  const recorded = (after: Partial<Delivery>, delayMs = 0): Decision => ({
    kind: 'recorded',
    attempt,
    delivery: { ...common, ...after },
    delayMs,
    isGone: isGone(made.outcome) && !isTest(delivery),
  })
  if (isSuccess) return recorded({ status: 'success', deliveredAt: now })
  if (attempts >= common.maxAttempts) return recorded({ status: 'failed', closedReason: 'attempts_used' })
  const delayMs = isAskedAgain ? 0 : delayAfter(common, made, now, random)
  return recorded({ status: 'retrying', nextRetryAt: new Date(now.getTime() + delayMs) }, delayMs)
}

function delayAfter(
  delivery: Delivery,
  { scheduleMs, outcome }: MadeAttempt,
  now: Date,
  random: number,
): number {
  const answered = outcome.kind === 'answered' ? outcome : undefined
  return retryDelayMs({
    scheduleMs,
    failedAttempts: delivery.attempts - delivery.attemptsBase,
    status: answered?.status,
    retryAfter: answered?.retryAfter,
    now,
    random,
  })
}

/** Closes an open delivery without an attempt. Its unserved retry requests end with it. */
export const close = (delivery: Delivery, reason: ClosedReason): Delivery => ({
  ...delivery,
  status: 'failed',
  closedReason: reason,
  nextRetryAt: null,
  parkedAt: null,
  retryServed: delivery.retrySeq,
})

/** Parks an open delivery: its webhook is inactive. Its status and its schedule stay. */
export const park = (delivery: Delivery, now: Date): Delivery => ({ ...delivery, parkedAt: now })

/** Takes a delivery out of the park: its webhook is active again. It is due at once. */
export const resume = (delivery: Delivery, now: Date): Delivery => ({
  ...delivery,
  parkedAt: null,
  nextRetryAt: delivery.nextRetryAt && now,
})

/**
 * Accepts a retry request. An open delivery gets one more attempt on top of the automatic ones, at once. A failed one is
 * queued again with a full set of attempts, and its schedule starts anew.
 *
 * @param maxRetries the webhook's setting now
 */
export function requestRetry(delivery: Delivery, maxRetries: number, now: Date): Delivery {
  const asked = { ...delivery, retrySeq: delivery.retrySeq + 1, retryRequestedAt: now, closedReason: null }
  if (!isOpen(delivery)) {
    return {
      ...asked,
      status: 'retrying',
      maxAttempts: delivery.attempts + maxRetries + 1,
      attemptsBase: delivery.attempts,
      nextRetryAt: now,
    }
  }
  const growth = hasUnservedRetry(delivery) ? 0 : 1
  return {
    ...asked,
    maxAttempts: delivery.maxAttempts + growth,
    attemptsBase: delivery.attemptsBase + growth,
    nextRetryAt: delivery.status === 'retrying' ? now : delivery.nextRetryAt,
  }
}
