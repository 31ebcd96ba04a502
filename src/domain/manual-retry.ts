import { hasUnservedRetry, isOpen, type Delivery } from './deliveries.js'

/** Retries asked for within this time of one that still waits are the same wish: a double click, a repeated request. */
const SAME_WISH_MS = 1_000

export type RetryVerdict =
  | { readonly kind: 'refused' }
  /** An attempt that serves this wish is already queued; nothing changes. */
  | { readonly kind: 'merged' }
  | { readonly kind: 'queued'; readonly delivery: Delivery }

/**
 * What a manual retry does to the row (design section 3, Manual retry). Open: one more attempt on top of the automatic
 * ones, at once. Failed: queued again with a full set of attempts, the schedule from its start. Success: refused.
 *
 * @param maxRetries the webhook's setting now
 */
export function requestRetry(delivery: Delivery, maxRetries: number, now: Date): RetryVerdict {
  if (delivery.status === 'success') return { kind: 'refused' }
  const ageMs = now.getTime() - (delivery.retryRequestedAt?.getTime() ?? 0)
  if (isOpen(delivery) && hasUnservedRetry(delivery) && ageMs < SAME_WISH_MS) return { kind: 'merged' }
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
