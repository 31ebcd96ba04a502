import { hasUnservedRetry, isOpen, type Delivery } from './delivery.js'

/** Retries asked for within this time of an accepted one may be the same wish: a double click, a repeated request. */
const SAME_WISH_MS = 1_000

/** When a retry was asked for and when it is decided: behind the same row many may wait for their turn. */
export type RetryTimes = {
  readonly arrivedAt: Date
  readonly now: Date
  /** End of the delivery's latest attempt. */
  readonly attemptEndedAt: Date | null
}

export type RetryVerdict =
  | { readonly kind: 'refused' }
  /** An attempt that serves this wish is queued, or was made after it arrived; nothing changes. */
  | { readonly kind: 'merged' }
  | { readonly kind: 'queued'; readonly delivery: Delivery }

/**
 * What a manual retry does to the row. Open: one more attempt on top of the automatic
 * ones, at once. Failed: queued again with a full set of attempts, the schedule from its start. Success: refused.
 *
 * @param maxRetries the webhook's setting now
 */
export function requestRetry(delivery: Delivery, maxRetries: number, times: RetryTimes): RetryVerdict {
  const { now } = times
  if (delivery.status === 'success') return { kind: 'refused' }
  if (isSameWish(delivery, times)) return { kind: 'merged' }
  const asked = { ...delivery, retrySeq: delivery.retrySeq + 1, retryRequestedAt: now, closedReason: null }
  if (!isOpen(delivery)) {
    return {
      kind: 'queued',
      delivery: {
        ...asked,
        status: 'retrying',
        maxAttempts: delivery.attempts + maxRetries + 1,
        attemptsBase: delivery.attempts,
        nextRetryAt: now,
      },
    }
  }
  const growth = hasUnservedRetry(delivery) ? 0 : 1
  return {
    kind: 'queued',
    delivery: {
      ...asked,
      maxAttempts: delivery.maxAttempts + growth,
      attemptsBase: delivery.attemptsBase + growth,
      nextRetryAt: delivery.status === 'retrying' ? now : delivery.nextRetryAt,
    },
  }
}

/**
 * Whether the latest accepted retry stands for this one too. Who asked before that one's attempt was over cannot have
 * seen its result: twenty retries at once are one wish, also when the endpoint fails before the last of them has its turn.
 */
function isSameWish(delivery: Delivery, { arrivedAt, now, attemptEndedAt }: RetryTimes): boolean {
  if (delivery.retryRequestedAt === null) return false
  if (now.getTime() - delivery.retryRequestedAt.getTime() >= SAME_WISH_MS) return false
  if (hasUnservedRetry(delivery)) return isOpen(delivery)
  return attemptEndedAt !== null && arrivedAt <= attemptEndedAt
}
