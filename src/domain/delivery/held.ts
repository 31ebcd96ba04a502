import { hasUnservedRetry, isFirstAttempt, isOpen, isTest, type Delivery } from './delivery.ts'

/** Why an open delivery is not sent although an attempt may be due. */
export type HeldReason = 'company_suspended' | 'webhook_inactive' | 'endpoint_failing'

/** Why a delivery is parked. Until the reason ends nothing is sent, whoever asks for it. */
export type ParkReason = Exclude<HeldReason, 'endpoint_failing'>

/** What of a webhook and its company can park every delivery. */
export type ParkingWebhook = {
  readonly isActive: boolean
  /** Whether the company that owns the webhook is suspended. */
  readonly isSuspended: boolean
}

/**
 * Why the delivery waits until its company is resumed or its webhook is activated; null if it does not. Test events never
 * wait: they go to inactive webhooks too, and the gate closes those of a suspended company.
 */
export function parkReason(
  delivery: Pick<Delivery, 'status' | 'eventId'>,
  webhook: ParkingWebhook,
): ParkReason | null {
  if (!isOpen(delivery) || isTest(delivery)) return null
  if (webhook.isSuspended) return 'company_suspended'
  return webhook.isActive ? null : 'webhook_inactive'
}

/** Why the delivery is held now, or null. A failing endpoint holds only first attempts that nobody asked for by hand. */
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

/** What of a webhook and its company may hold a delivery. */
export type HoldingWebhook = ParkingWebhook & {
  /** Whether its endpoint fails, or asked for a pause. */
  readonly holdsFirstAttempts: boolean
}
