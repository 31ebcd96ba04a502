import { seal, sealContext, unseal, type KeyRing } from '../sealing/sealing.ts'
import type { WebhookSettings } from './settings.ts'
import type { EndpointHealth } from './health.ts'
import type { Environment } from '../tenant.ts'

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

/** The custom headers of a webhook in clear; null: the value is hidden. */
export type ShownHeaders = Readonly<Record<string, string | null>>

/** A webhook with everything that is shown besides its configuration. */
export type WebhookView = {
  readonly webhook: Webhook
  readonly headers: ShownHeaders
  readonly counters: WebhookCounters
  readonly health: EndpointHealth
  /** Whether its first attempts wait now, because its endpoint fails or asked for a pause. */
  readonly holdsFirstAttempts: boolean
}

/** A webhook, and where it belongs. */
export type OwnedWebhookView = WebhookView & { readonly environment: Environment }

/** A new webhook, with its secret in clear. Only this and a regeneration show a secret. */
export type CreatedWebhook = {
  readonly webhook: Webhook
  readonly headers: ShownHeaders
  readonly secret: string
}

/** Attempts a delivery of the webhook may have: the first and every retry. Frozen in the delivery row. */
export const maximumAttempts = (maxRetries: number): number => maxRetries + 1

/** The custom headers of a webhook, unsealed. @throws SealError when the key ring cannot read them */
export function webhookHeaders(
  keys: KeyRing,
  companyId: string,
  webhook: Pick<Webhook, 'id' | 'headersSealed'>,
): Record<string, string> {
  if (webhook.headersSealed === null) return {}
  const text = unseal(keys, webhook.headersSealed, sealContext(companyId, webhook.id, 'headers'))
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
  const context = sealContext(companyId, webhookId, 'headers')
  return {
    ...settings,
    ...(headers && { headersSealed: isBare ? null : seal(keys, JSON.stringify(headers), context) }),
  }
}

/** A webhook's signing secret in clear. @throws SealError when the key ring cannot read it */
export const openSecret = (keys: KeyRing, companyId: string, webhookId: string, sealed: string): string =>
  unseal(keys, sealed, sealContext(companyId, webhookId, 'secret'))

/** A webhook's signing secret as the database keeps it. */
export const sealSecret = (keys: KeyRing, companyId: string, webhookId: string, secret: string): string =>
  seal(keys, secret, sealContext(companyId, webhookId, 'secret'))
