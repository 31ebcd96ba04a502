import {
  hasUnservedRetry,
  isFirstAttempt,
  isOpen,
  isRecovered,
  isTest,
  type Delivery,
  type FoundDelivery,
  type Trigger,
} from './delivery.ts'
import type { Environment } from '../tenant.ts'

/** Why an open delivery is not sent although an attempt may be due. */
export type HeldReason = 'company_suspended' | 'webhook_inactive' | 'endpoint_failing'

/** Why a delivery is parked. While the reason lasts it is not sent, even if a user asks for a retry. */
export type ParkReason = Exclude<HeldReason, 'endpoint_failing'>

/** The states of a webhook and its company that can park its deliveries. */
type ParkingWebhook = {
  readonly isActive: boolean
  /** Whether the company that owns the webhook is suspended. */
  readonly isSuspended: boolean
}

/**
 * Why the delivery waits until its company is resumed or its webhook is activated; null if it does not wait. Test events
 * never wait: they go to inactive webhooks too, and the gate closes the test events of a suspended company.
 */
export function parkReason(
  delivery: Pick<Delivery, 'status' | 'eventId'>,
  webhook: ParkingWebhook,
): ParkReason | null {
  if (!isOpen(delivery) || isTest(delivery)) return null
  if (webhook.isSuspended) return 'company_suspended'
  return webhook.isActive ? null : 'webhook_inactive'
}

/**
 * Why the delivery is held now; null if it is not. An endpoint that fails, or asked for a pause,
 * holds only first attempts that nobody requested by hand.
 */
export function heldReason(
  delivery: Pick<Delivery, 'status' | 'eventId' | 'attempts' | 'retrySeq' | 'retryServed' | 'recoveryBase'>,
  webhook: HoldingWebhook,
): HeldReason | null {
  const parked = parkReason(delivery, webhook)
  if (parked !== null) return parked
  const isFirst = isOpen(delivery) && isFirstAttempt(delivery)
  const obeysBreaker = isFirst && !isTest(delivery) && !hasUnservedRetry(delivery)
  return obeysBreaker && webhook.holdsFirstAttempts ? 'endpoint_failing' : null
}

/** The states of a webhook and its company that can hold a delivery. */
export type HoldingWebhook = ParkingWebhook & {
  /** Whether the endpoint fails, or has asked for a pause. */
  readonly holdsFirstAttempts: boolean
}

/** A delivery to show, with the states of its webhook that can hold it. */
export type ShownDelivery = { readonly delivery: FoundDelivery; readonly webhook: HoldingWebhook }

/** A delivery in a list that covers both environments. */
export type DeliveryOverview = ShownDelivery & { readonly environment: Environment }

/** The facts about the webhook that the gate needs. They are read together with the delivery. */
export type GateWebhook = ParkingWebhook & { readonly isDeleted: boolean }

/** Whether an attempt may go out now. The gate decides this from rows that it read just before the attempt. */
export type GateVerdict =
  | { readonly kind: 'go'; readonly trigger: Trigger }
  | { readonly kind: 'closed' }
  | { readonly kind: 'close'; readonly reason: 'webhook_deleted' | 'attempts_used' | 'test_unanswered' }
  | { readonly kind: 'park' }
  | { readonly kind: 'early'; readonly delayMs: number }

/**
 * An attempt is early only if it starts more than this many milliseconds before its time. Clocks and network delays
 * differ.
 */
const EARLY_TOLERANCE_MS = 250

/**
 * Decides whether an attempt may go out. It decides from the row, not from Temporal. A repeated activity, an old workflow
 * and a second worker all come here, and learn that there is nothing to do.
 *
 * @param now the database's clock, read with the rows
 */
export function gateVerdict(delivery: Delivery, webhook: GateWebhook, now: Date): GateVerdict {
  if (!isOpen(delivery)) return { kind: 'closed' }
  if (webhook.isDeleted) return { kind: 'close', reason: 'webhook_deleted' }
  if (parkReason(delivery, webhook) !== null) return { kind: 'park' }
  // The caller of a test event waits for the answer, so the test event cannot wait for the company.
  if (isTest(delivery) && webhook.isSuspended) return { kind: 'close', reason: 'test_unanswered' }
  if (delivery.attempts >= delivery.maxAttempts) return { kind: 'close', reason: 'attempts_used' }
  if (hasUnservedRetry(delivery)) return { kind: 'go', trigger: 'manual' }
  const earlyMs = (delivery.nextRetryAt?.getTime() ?? 0) - now.getTime()
  if (earlyMs > EARLY_TOLERANCE_MS) return { kind: 'early', delayMs: earlyMs }
  return { kind: 'go', trigger: triggerOf(delivery) }
}

function triggerOf(delivery: Delivery): Trigger {
  if (isTest(delivery)) return 'test'
  return isRecovered(delivery) ? 'recovery' : 'scheduled'
}
