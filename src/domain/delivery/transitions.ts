import { retryDelayMs } from './backoff.ts'
import {
  hasUnservedRetry,
  isOpen,
  isTest,
  type Attempt,
  type ClosedReason,
  type Delivery,
} from './delivery.ts'
import { answerIn, isGone, isSuccessful, attemptOf, type MadeAttempt } from './outcome.ts'

/*
 * Every move of a delivery from state to state. The caller has locked and read the row. Each function returns the row to write.
 * DELIVERY_STATUSES says what the states mean and who makes each move.
 */

/** What to do with an outcome: drop it (`stale`), or write the attempt and the delivery (`recorded`). */
export type Decision =
  | { readonly kind: 'stale' }
  | {
      readonly kind: 'recorded'
      readonly attempt: Attempt
      readonly delivery: Delivery
      /** 0 if an attempt is due at once, or none is scheduled. */
      readonly delayMs: number
      /** Whether the endpoint answered 410 Gone to a delivery other than a test event. */
      readonly isGone: boolean
    }

/** An attempt whose outcome is committed. */
export type RecordedAttempt = {
  readonly made: MadeAttempt
  readonly decision: Extract<Decision, { kind: 'recorded' }>
  readonly companyId: string
  /** Whether this outcome made the webhook inactive, because the endpoint answered 410 Gone. */
  readonly hasDeactivated: boolean
}

/**
 * Decides what an outcome does to the delivery. An outcome is stale if the delivery is closed, or if another attempt
 * was recorded after this one passed the gate. The caller drops a stale outcome. A late 2xx is not stale while the
 * delivery is open.
 *
 * @param random uniform in [0, 1), for the jitter
 */
export function recordOutcome(delivery: Delivery, made: MadeAttempt, now: Date, random: number): Decision {
  const isSuccess = isSuccessful(made.outcome)
  const isCurrent = delivery.attempts === made.attemptsAtGate
  if (!isOpen(delivery) || (!isCurrent && !isSuccess)) return { kind: 'stale' }
  const attempts = Math.min(delivery.attempts + 1, delivery.maxAttempts)
  const attempt = attemptOf(made, attempts)
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
    isInTemporal: true,
  }
  const recorded = (after: Partial<Delivery>, delayMs = 0): Decision => ({
    kind: 'recorded',
    attempt,
    delivery: { ...common, ...after },
    delayMs,
    isGone: isGone(made.outcome) && !isTest(delivery),
  })
  const { isInTemporal } = delivery
  if (isSuccess) return recorded({ status: 'success', deliveredAt: now, isInTemporal })
  if (attempts >= common.maxAttempts) return recorded({ status: 'failed', closedReason: 'attempts_used' })
  const answered = answerIn(made.outcome)
  const retry = {
    scheduleMs: made.scheduleMs,
    failedAttempts: attempts - delivery.attemptsBase,
    status: answered?.status,
    retryAfter: answered?.retryAfter,
  }
  const delayMs = isAskedAgain ? 0 : retryDelayMs({ ...retry, now, random })
  const nextRetryAt = new Date(now.getTime() + delayMs)
  const isNextDirect = !isInTemporal && isDirectRetry(made, nextRetryAt)
  return recorded({ status: 'retrying', nextRetryAt, isInTemporal: !isNextDirect }, delayMs)
}

/**
 * Whether the worker that made this attempt also makes the retry. Otherwise a workflow makes it, even after a direct
 * attempt.
 */
const isDirectRetry = ({ directUntil }: MadeAttempt, retryAt: Date): boolean =>
  // Stryker disable next-line ConditionalExpression: no time is before «undefined»; this is for the compiler
  directUntil !== undefined && retryAt <= directUntil

/** Closes an open delivery without an attempt. Its retry requests count as served, so that none of them waits any more. */
export const close = (delivery: Delivery, reason: ClosedReason): Delivery => ({
  ...delivery,
  status: 'failed',
  closedReason: reason,
  nextRetryAt: null,
  parkedAt: null,
  retryServed: delivery.retrySeq,
})

/** Parks an open delivery, for the reason that parkReason gives. Its status and its schedule stay. */
export const park = (delivery: Delivery, now: Date): Delivery => ({ ...delivery, parkedAt: now })

/** Ends the parking of a delivery, because the reason for it is over. Its next attempt is due at once. */
export const resume = (delivery: Delivery, now: Date): Delivery => ({
  ...delivery,
  parkedAt: null,
  nextRetryAt: delivery.nextRetryAt && now,
})

/**
 * Accepts a retry request. The next attempt is due at once, and the delivery's workflow makes it. An open delivery gets
 * one attempt in addition to the automatic ones. If an earlier request still waits for its attempt, that attempt serves
 * both requests. A failed delivery gets a full set of attempts, and its schedule starts again.
 *
 * @param maxRetries the present setting of the webhook; only a failed delivery uses it
 */
export function requestRetry(delivery: Delivery, maxRetries: number, now: Date): Delivery {
  const asked = {
    ...delivery,
    retrySeq: delivery.retrySeq + 1,
    retryRequestedAt: now,
    closedReason: null,
    isInTemporal: true,
  }
  if (!isOpen(delivery)) return { ...asked, ...withFullSet(delivery, maxRetries, now) }
  const growth = hasUnservedRetry(delivery) ? 0 : 1
  return {
    ...asked,
    maxAttempts: delivery.maxAttempts + growth,
    attemptsBase: delivery.attemptsBase + growth,
    nextRetryAt: delivery.status === 'retrying' ? now : delivery.nextRetryAt,
  }
}

/**
 * Opens a failed delivery again for a recovery. Its next attempt counts as a first attempt.
 *
 * @param hasNoRun no workflow of the delivery runs, and none can start. Then its attempt may be direct
 */
export const reopen = (
  delivery: Delivery,
  { maxRetries, hasNoRun, now }: { maxRetries: number; hasNoRun: boolean; now: Date },
): Delivery => ({
  ...delivery,
  ...withFullSet(delivery, maxRetries, now),
  recoveryBase: delivery.attempts,
  isInTemporal: !hasNoRun,
})

/**
 * Lets a failed delivery begin again: with a full set of attempts, its schedule from the start, and the first attempt at once.
 */
const withFullSet = ({ attempts }: Delivery, maxRetries: number, now: Date) => ({
  status: 'retrying' as const,
  maxAttempts: attempts + maxRetries + 1,
  attemptsBase: attempts,
  nextRetryAt: now,
  closedReason: null,
})
