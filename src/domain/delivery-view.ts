import { hasUnservedRetry, isOpen, type Delivery } from './deliveries.js'
import type { GateWebhook } from './gate.js'

/** How a closed delivery's workflow ends: Completed, Failed, Cancelled. */
export type DeliveryEnding = 'success' | 'failed' | 'cancelled'

/** What a row says a delivery needs next: numbers and states only, because it goes into workflow histories. */
export type DeliveryView =
  | { readonly state: 'closed'; readonly ending: DeliveryEnding; readonly retrySeq: number }
  | {
      readonly state: 'open'
      /** Attempts left, at least 1. */
      readonly remaining: number
      /** The latest manual retry that the row knows of. */
      readonly retrySeq: number
      /** Time until the next attempt is due, 0 for now. */
      readonly waitMs: number
      readonly isParked: boolean
    }

/** How the workflow of a closed delivery ends. */
export function endingOf({
  status,
  closedReason,
}: Pick<Delivery, 'status' | 'closedReason'>): DeliveryEnding {
  if (status === 'success') return 'success'
  return closedReason === 'webhook_deleted' ? 'cancelled' : 'failed'
}

/** @param now the database's clock, read with the rows */
export function viewDelivery(delivery: Delivery, webhook: GateWebhook, now: Date): DeliveryView {
  const { retrySeq } = delivery
  if (!isOpen(delivery)) return { state: 'closed', ending: endingOf(delivery), retrySeq }
  const dueInMs = (delivery.nextRetryAt?.getTime() ?? 0) - now.getTime()
  return {
    state: 'open',
    // A row that has used its attempts and is still open goes to the gate once more, which closes it.
    remaining: Math.max(1, delivery.maxAttempts - delivery.attempts),
    retrySeq,
    waitMs: hasUnservedRetry(delivery) ? 0 : Math.max(0, dueInMs),
    isParked: delivery.parkedAt !== null && !webhook.isActive && !webhook.isDeleted,
  }
}
