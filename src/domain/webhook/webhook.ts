import { seal, unseal, type KeyRing } from '../sealing/sealing.js'

/** A webhook as the service knows it. Its custom headers stay sealed until somebody is to see or send them. */
export type Webhook = {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly url: string
  readonly events: readonly string[]
  readonly isActive: boolean
  /** Custom headers as sealed JSON, or null when there are none. */
  readonly headersSealed: string | null
  readonly maxRetries: number
  /** Whole seconds between attempts, or null for the operator's schedule. */
  readonly retrySchedule: readonly number[] | null
  readonly deactivatedReason: string | null
  /** Grows with every change of configuration; the ETag. */
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Figures of a webhook: deliveries created, and those in a final state now. */
export type WebhookCounters = {
  readonly totalDeliveries: number
  readonly successfulDeliveries: number
  readonly failedDeliveries: number
  readonly lastTriggeredAt: Date | null
}

export const DEFAULT_MAX_RETRIES = 5
export const MAXIMUM_MAX_RETRIES = 10

/** Attempts a delivery of the webhook may have: the first and every retry. Frozen in the delivery row. */
export const maximumAttempts = (maxRetries: number): number => maxRetries + 1

/** The custom headers of a webhook, unsealed. @throws SealError when the key ring cannot read them */
export function webhookHeaders(keys: KeyRing, companyId: string, webhook: Webhook): Record<string, string> {
  if (webhook.headersSealed === null) return {}
  const text = unseal(keys, webhook.headersSealed, sealingContext(companyId, webhook.id, 'headers'))
  return JSON.parse(text) as Record<string, string>
}

/** The custom headers, sealed for storage; null when there are none. */
export function sealHeaders(
  keys: KeyRing,
  companyId: string,
  webhookId: string,
  headers: Readonly<Record<string, string>>,
): string | null {
  if (Object.keys(headers).length === 0) return null
  return seal(keys, JSON.stringify(headers), sealingContext(companyId, webhookId, 'headers'))
}

/** What the encryption of a webhook's secret or headers is bound to, so that no row can borrow another's. */
export const sealingContext = (companyId: string, webhookId: string, what: 'secret' | 'headers'): string =>
  `${companyId}|${webhookId}|${what}`
