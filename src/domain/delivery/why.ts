import { attemptCode, heldReason, type Attempt, type Delivery, type HoldingWebhook } from './delivery.ts'

type Attempted = Delivery & Pick<Attempt, 'error'>

/** The result of the latest attempt, `http_500` or such as `dns_error`; null before the first one. */
export const latestResult = (delivery: Attempted): string | null =>
  delivery.attempts === 0 ? null : attemptCode(delivery)

/**
 * Why a delivery has not arrived, as one code; null once it has. What holds it back comes first, because nothing happens
 * before that ends. Then why it was closed, if not by its attempts. Else it is the result of the latest attempt, or
 * `first_attempt_due` before there was one.
 */
export function whyUndelivered(delivery: Attempted, webhook: HoldingWebhook): string | null {
  if (delivery.status === 'success') return null
  const held = heldReason(delivery, webhook)
  if (held !== null) return held
  const { closedReason } = delivery
  if (closedReason !== null && closedReason !== 'attempts_used') return closedReason
  return latestResult(delivery) ?? 'first_attempt_due'
}
