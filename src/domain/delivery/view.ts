import { attemptCode, hasUnservedRetry, isOpen, type Attempt, type Delivery } from './delivery.ts'
import { heldReason, type GateWebhook, type HoldingWebhook } from './gate.ts'
import type { Decision } from './transitions.ts'

/** How a closed delivery's workflow ends: as Completed, Failed or Canceled. */
export type DeliveryEnding = 'success' | 'failed' | 'cancelled'

/**
 * What a delivery needs next, according to its row. The view has only numbers, states and codes, because it is stored in
 * workflow histories.
 */
export type DeliveryView =
  | {
      readonly state: 'closed'
      readonly ending: DeliveryEnding
      readonly retrySeq: number
      /** Why a failed delivery failed. Histories of release 0.1.0 do not have it. */
      readonly reason?: string
    }
  | {
      readonly state: 'open'
      /** Attempts left, at least 1. */
      readonly remaining: number
      /** Number of the latest retry request in the row. */
      readonly retrySeq: number
      /** The time until the next attempt is due, in milliseconds; 0 if it is due now. */
      readonly waitMs: number
      /** Whether the workflow waits for the signal `resume`, because the delivery is parked, or queued for a free slot. */
      readonly isParked: boolean
      /** How many attempts were made. Absent in histories of 0.1.0 and 0.2.0. */
      readonly attempts?: number
      /** The result of the latest attempt, such as `http_500`. Absent before the first attempt. */
      readonly lastResult?: string
    }

/** How the workflow of a closed delivery ends. */
export function endingOf(delivery: Pick<Delivery, 'status' | 'closedReason'>): DeliveryEnding {
  if (delivery.status === 'success') return 'success'
  return delivery.closedReason === 'webhook_deleted' ? 'cancelled' : 'failed'
}

/**
 * Says why a delivery failed, for people who read its workflow: `http_500 after 6 attempts`. The text has only codes
 * and numbers, because it is stored in workflow histories.
 *
 * @param error the code of the latest attempt, if that attempt got no answer
 */
export function failureOfDelivery(
  { closedReason, attempts, responseCode }: Pick<Delivery, 'closedReason' | 'attempts' | 'responseCode'>,
  error: string | null,
): string {
  if (closedReason === 'test_unanswered') return 'the test event was not answered in time'
  return `${attemptCode({ responseCode, error })} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
}

type ViewOptions = {
  /** Whether the delivery waits in its webhook's queue for a free slot. */
  readonly isQueued?: boolean
  /** The code of the latest attempt, if that attempt got no answer. */
  readonly error?: string | null
}

/**
 * Whether a parked delivery of the webhook must keep waiting. If the webhook is deleted, the delivery must not wait,
 * because the gate closes it.
 */
const parks = ({ isActive, isSuspended, isDeleted }: GateWebhook): boolean =>
  !isDeleted && (isSuspended || !isActive)

/** @param now the database's clock, read with the rows */
export function viewDelivery(
  delivery: Delivery,
  webhook: GateWebhook,
  now: Date,
  { isQueued = false, error = null }: ViewOptions = {},
): DeliveryView {
  const { retrySeq } = delivery
  if (!isOpen(delivery)) return { state: 'closed', ending: endingOf(delivery), retrySeq }
  const dueInMs = (delivery.nextRetryAt?.getTime() ?? 0) - now.getTime()
  const lastResult = latestResult({ ...delivery, error })
  return {
    state: 'open',
    // An open row without attempts left goes to the gate once more. The gate closes it.
    remaining: Math.max(1, delivery.maxAttempts - delivery.attempts),
    retrySeq,
    waitMs: hasUnservedRetry(delivery) ? 0 : Math.max(0, dueInMs),
    isParked: isQueued || (delivery.parkedAt !== null && parks(webhook)),
    attempts: delivery.attempts,
    ...(lastResult !== null && { lastResult }),
  }
}

type Attempted = Delivery & Pick<Attempt, 'error'>

/** The result of the latest attempt, such as `http_500` or `dns_error`; null before the first attempt. */
export const latestResult = (delivery: Attempted): string | null =>
  delivery.attempts === 0 ? null : attemptCode(delivery)

/**
 * Why a delivery has not arrived, as one code; null if it has. The first of these reasons that applies is returned:
 *
 * 1. The reason for which the delivery must wait. It comes first, because nothing else can happen before the wait is
 *    over.
 * 2. Why it was closed, unless its attempts are used up.
 * 3. The result of its latest attempt.
 * 4. `first_attempt_due`.
 */
export function whyUndelivered(delivery: Attempted, webhook: HoldingWebhook): string | null {
  if (delivery.status === 'success') return null
  const held = heldReason(delivery, webhook)
  if (held !== null) return held
  const { closedReason } = delivery
  if (closedReason !== null && closedReason !== 'attempts_used') return closedReason
  return latestResult(delivery) ?? 'first_attempt_due'
}

/** What an attempt tells its caller. */
export type AttemptReport =
  | { readonly kind: 'closed'; readonly ending: DeliveryEnding }
  | { readonly kind: 'parked' }
  /** No slot was free. The delivery waits in the webhook's queue. */
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

/** The row has changed since it was read. The caller reads the row again at once, and does what it says then. */
export const READ_AGAIN: AttemptReport = { kind: 'deferred', delayMs: 0 }

/** The report of a recorded attempt. */
export function reportOf(decision: Extract<Decision, { kind: 'recorded' }>): AttemptReport {
  const { attempt, delivery, delayMs } = decision
  if (delivery.status === 'success') return { kind: 'closed', ending: 'success' }
  return {
    kind: 'failed',
    code: attemptCode(attempt),
    delayMs: delivery.status === 'failed' ? undefined : delayMs,
    isNextDirect: !delivery.isInTemporal,
  }
}
