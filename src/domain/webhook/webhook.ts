import type { Filter } from './filter/condition.ts'
import { seal, unseal, webhookContext, type KeyRing } from '../sealing/sealing.ts'

/** The settings of a webhook that a caller gives. */
export type WebhookSettings = {
  readonly name: string
  readonly description: string | null
  readonly url: string
  readonly events: readonly string[]
  readonly isActive: boolean
  /** Custom headers of every delivery, in clear. */
  readonly headers: Readonly<Record<string, string>>
  readonly maxRetries: number
  /** Whole seconds between attempts, or null for the operator's schedule. */
  readonly retrySchedule: readonly number[] | null
  /** The condition for its events; null: none. */
  readonly filter: Filter | null
  /** Whether deliveries carry the header `traceparent`. */
  readonly sendTraceparent: boolean
}

/** The settings that a creation may leave out. */
export const DEFAULT_SETTINGS = {
  description: null,
  isActive: true,
  headers: {},
  maxRetries: 5,
  retrySchedule: null,
  filter: null,
  sendTraceparent: false,
} as const satisfies Partial<WebhookSettings>

/**
 * Why the service deactivated a webhook by itself: its endpoint said 410 Gone, more than WEBHOOK_BACKLOG deliveries wait
 * for it, or its endpoint failed for ENDPOINT_DISABLE_AFTER.
 */
export type DeactivatedReason = 'gone' | 'backlog' | 'failing'

/** A webhook as the service knows it. Its custom headers stay sealed until they are shown or sent. */
export type Webhook = Omit<WebhookSettings, 'headers'> & {
  readonly id: string
  /** Custom headers as sealed JSON, or null when there are none. */
  readonly headersSealed: string | null
  readonly deactivatedReason: DeactivatedReason | null
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
  readonly lastSuccessAt: Date | null
  /** Open deliveries. */
  readonly waiting: number
}

export const MAXIMUM_MAX_RETRIES = 10

/** Attempts a delivery of the webhook may have: the first and every retry. Frozen in the delivery row. */
export const maximumAttempts = (maxRetries: number): number => maxRetries + 1

/** The custom headers of a webhook, unsealed. @throws SealError when the key ring cannot read them */
export function webhookHeaders(
  keys: KeyRing,
  companyId: string,
  webhook: Pick<Webhook, 'id' | 'headersSealed'>,
): Record<string, string> {
  if (webhook.headersSealed === null) return {}
  const text = unseal(keys, webhook.headersSealed, webhookContext(companyId, webhook.id, 'headers'))
  return JSON.parse(text) as Record<string, string>
}

/** The settings of a webhook, its headers unsealed. @throws SealError when the key ring cannot read them */
export function settingsOf(keys: KeyRing, companyId: string, webhook: Webhook): WebhookSettings {
  const { id, headersSealed, deactivatedReason, version, createdAt, updatedAt, ...settings } = webhook
  return { ...settings, headers: webhookHeaders(keys, companyId, webhook) }
}

/** The given settings as they are stored: headers sealed, null for none. */
export function sealSettings<Settings extends Partial<WebhookSettings>>(
  keys: KeyRing,
  companyId: string,
  webhookId: string,
  { headers, ...settings }: Settings,
) {
  const isBare = headers && Object.keys(headers).length === 0
  const context = webhookContext(companyId, webhookId, 'headers')
  return {
    ...settings,
    ...(headers && { headersSealed: isBare ? null : seal(keys, JSON.stringify(headers), context) }),
  }
}

/** A webhook's signing secret in clear. @throws SealError when the key ring cannot read it */
export const openSecret = (keys: KeyRing, companyId: string, webhookId: string, sealed: string): string =>
  unseal(keys, sealed, webhookContext(companyId, webhookId, 'secret'))

/** A webhook's signing secret as the database keeps it. */
export const sealSecret = (keys: KeyRing, companyId: string, webhookId: string, secret: string): string =>
  seal(keys, secret, webhookContext(companyId, webhookId, 'secret'))
