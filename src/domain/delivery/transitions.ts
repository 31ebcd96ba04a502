import type { AttemptOutcome } from './outcome.js'
import { hasUnservedRetry, isOpen, isTest, type Attempt, type Delivery, type Trigger } from './delivery.js'
import { retryDelayMs } from './backoff.js'

/** An attempt that was made: what its gate had read, and what came of it. */
export type MadeAttempt = {
  readonly deliveryId: string
  /** `attempts` and `retry_seq` of the row at the gate: they tell a current outcome from a stale one. */
  readonly attemptsAtGate: number
  readonly retrySeqAtGate: number
  /** Version of the webhook that the request was made from. */
  readonly webhookVersionAtGate: number
  readonly trigger: Trigger
  readonly startedAt: Date
  readonly scheduleMs: readonly number[]
  readonly outcome: Exclude<AttemptOutcome, { kind: 'withdrawn' }>
}

/** What recording an outcome does to the delivery. */
export type Decision =
  | { readonly kind: 'stale' }
  | {
      readonly kind: 'recorded'
      readonly attempt: Attempt
      readonly delivery: Delivery
      /** 0 when an attempt is due at once or none is scheduled. */
      readonly delayMs: number
      /** The endpoint said 410 Gone. */
      readonly isGone: boolean
    }

/**
 * Decides, from the row as it is now and under its lock, what an outcome means. An outcome whose row has moved on is
 * stale and dropped, except a 2xx, which still closes an open delivery.
 *
 * @param random uniform in [0, 1), for the jitter
 */
export function decideOutcome(delivery: Delivery, made: MadeAttempt, now: Date, random: number): Decision {
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
  if (isSuccess) return recorded(attempt, { ...common, status: 'success', deliveredAt: now })
  const isGone = made.outcome.kind === 'answered' && made.outcome.status === 410 && !isTest(delivery)
  if (attempts >= common.maxAttempts) {
    return recorded(attempt, { ...common, status: 'failed', closedReason: 'attempts_used' }, 0, isGone)
  }
  const delayMs = isAskedAgain ? 0 : delayAfter(common, made, now, random)
  const nextRetryAt = new Date(now.getTime() + delayMs)
  return recorded(attempt, { ...common, status: 'retrying', nextRetryAt }, delayMs, isGone)
}

const recorded = (attempt: Attempt, delivery: Delivery, delayMs = 0, isGone = false): Decision => ({
  kind: 'recorded',
  attempt,
  delivery,
  delayMs,
  isGone,
})

/** Spec: a 2xx response makes the delivery `success`; nothing else does. */
export const isSuccessful = (outcome: AttemptOutcome): boolean =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299

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

function toAttempt({ outcome, startedAt, trigger }: MadeAttempt, number: number): Attempt {
  const answered = outcome.kind === 'answered' ? outcome : undefined
  return {
    number,
    startedAt,
    durationMs: outcome.durationMs,
    responseCode: answered?.status ?? null,
    responseBody: answered?.body ?? null,
    error: outcome.kind === 'unreachable' ? outcome.reason : (outcome.error ?? null),
    location: answered?.location ?? null,
    trigger,
  }
}
