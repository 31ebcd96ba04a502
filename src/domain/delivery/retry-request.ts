import { hasUnservedRetry, isOpen, type Delivery } from './delivery.ts'
import { requestRetry } from './transitions.ts'

/**
 * A request within this many milliseconds after an accepted one may be the same request: a double click, or a repeated
 * call.
 */
const SAME_REQUEST_MS = 1_000

/**
 * The times that decide about a retry request. `now` may be long after `arrivedAt`, because many requests may wait for one row.
 */
export type RetryTimes = {
  readonly arrivedAt: Date
  readonly now: Date
  /** When the delivery's latest attempt ended. */
  readonly attemptEndedAt: Date | null
}

export type RetryVerdict =
  /** The delivery succeeded. */
  | { readonly kind: 'refused' }
  /** An attempt that serves this request is queued, or ended after the request arrived. Nothing changes. */
  | { readonly kind: 'merged' }
  | { readonly kind: 'queued'; readonly delivery: Delivery }

/** Decides what a manual retry does to the row. @param maxRetries the present setting of the webhook */
export function decideRetry(delivery: Delivery, maxRetries: number, times: RetryTimes): RetryVerdict {
  if (delivery.status === 'success') return { kind: 'refused' }
  if (isSameRequest(delivery, times)) return { kind: 'merged' }
  return { kind: 'queued', delivery: requestRetry(delivery, maxRetries, times.now) }
}

/**
 * Whether the latest accepted retry request covers this one too. If the attempt for the accepted request had not ended
 * when this request arrived, the caller did not know its result. So twenty requests at once count as one, even if the
 * endpoint fails before all of them are decided.
 */
function isSameRequest(delivery: Delivery, { arrivedAt, now, attemptEndedAt }: RetryTimes): boolean {
  if (delivery.retryRequestedAt === null) return false
  // The difference counts in both directions, because the clock may have been set back since the accepted request.
  if (Math.abs(now.getTime() - delivery.retryRequestedAt.getTime()) >= SAME_REQUEST_MS) return false
  if (hasUnservedRetry(delivery)) return isOpen(delivery)
  // Stryker disable next-line ConditionalExpression: null means 1970, and no request arrives before that; this is for the compiler
  return attemptEndedAt !== null && arrivedAt <= attemptEndedAt
}
