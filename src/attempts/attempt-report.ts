import { attemptCode } from '../domain/delivery/delivery.js'
import type { DeliveryEnding } from '../domain/delivery/view.js'
import type { Decision } from '../domain/delivery/transitions.js'

/** What an attempt came to, for whoever made it. */
export type AttemptReport =
  | { readonly kind: 'closed'; readonly ending: DeliveryEnding }
  | { readonly kind: 'parked' }
  /** No slot was free: the delivery waits in the webhook's queue. */
  | { readonly kind: 'queued' }
  | { readonly kind: 'deferred'; readonly delayMs: number }
  /** The endpoint failed; `delayMs` is the very delay in next_retry_at, undefined after the last attempt. */
  | { readonly kind: 'failed'; readonly code: string; readonly delayMs: number | undefined }

/** The row moved on meanwhile: whoever asked reads it again at once and does what it says. */
export const READ_AGAIN: AttemptReport = { kind: 'deferred', delayMs: 0 }

/** What a recorded attempt came to. */
export function reportOf({
  attempt,
  delivery,
  delayMs,
}: Extract<Decision, { kind: 'recorded' }>): AttemptReport {
  if (delivery.status === 'success') return { kind: 'closed', ending: 'success' }
  return {
    kind: 'failed',
    code: attemptCode(attempt),
    delayMs: delivery.status === 'failed' ? undefined : delayMs,
  }
}
