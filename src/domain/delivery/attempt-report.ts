import { attemptCode } from './delivery.ts'
import type { DeliveryEnding } from './view.ts'
import type { Decision } from './transitions.ts'

/** The result of an attempt, for its caller. */
export type AttemptReport =
  | { readonly kind: 'closed'; readonly ending: DeliveryEnding }
  | { readonly kind: 'parked' }
  /** No slot was free: the delivery waits in the webhook's queue. */
  | { readonly kind: 'queued' }
  | { readonly kind: 'deferred'; readonly delayMs: number }
  /** The endpoint failed. `delayMs` is exactly the delay until next_retry_at; undefined after the last attempt. */
  | {
      readonly kind: 'failed'
      readonly code: string
      readonly delayMs: number | undefined
      /** Whether the next attempt is direct. */
      readonly isNextDirect: boolean
    }

/** The row changed meanwhile: the caller reads it again at once and does what it says. */
export const READ_AGAIN: AttemptReport = { kind: 'deferred', delayMs: 0 }

/** The report of a recorded attempt. */
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
    isNextDirect: !delivery.isInTemporal,
  }
}
