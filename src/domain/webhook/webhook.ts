import { seal, sealContext, unseal, type KeyRing } from '../sealing/sealing.ts'
import type { WebhookSettings } from './settings.ts'
import type { EndpointHealth } from './health.ts'
import type { Environment } from '../tenant.ts'

/**
 * Why the service deactivated a webhook: its endpoint answered 410 Gone, more than WEBHOOK_BACKLOG deliveries wait for it,
 * or its endpoint failed for ENDPOINT_DISABLE_AFTER.
 */
export type DeactivatedReason = 'gone' | 'backlog' | 'failing'

/** A webhook in our code. Its custom headers stay sealed until they are shown or sent. */
export type Webhook = Omit<WebhookSettings, 'headers'> & {
  readonly id: string
  /** The custom headers as sealed JSON; null if there are none. */
  readonly headersSealed: string | null
  readonly deactivatedReason: DeactivatedReason | null
  /** Grows with every change of the settings. It is the ETag. */
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The figures of a webhook: how many deliveries were created, and how many of them are in a final state now. */
export type WebhookCounters = {
  readonly totalDeliveries: number
  readonly successfulDeliveries: number
  readonly failedDeliveries: number
  readonly lastTriggeredAt: Date | null
  readonly lastSuccessAt: Date | null
  /** How many deliveries are open. */
  readonly waiting: number
}

/** The custom headers of a webhook in clear. null: the value is hidden. */
export type ShownHeaders = Readonly<Record<string, string | null>>

/** A webhook with everything that is shown in addition to its settings. */
export type WebhookView = {
  readonly webhook: Webhook
  readonly headers: ShownHeaders
  readonly counters: WebhookCounters
  readonly health: EndpointHealth
  /** Whether its first attempts wait now, because its endpoint fails or asked for a pause. */
  readonly holdsFirstAttempts: boolean
}

/** A webhook and its environment. */
export type OwnedWebhookView = WebhookView & { readonly environment: Environment }

/** A new webhook, with its secret in clear. Only a creation and a regeneration show a secret. */
export type CreatedWebhook = {
  readonly webhook: Webhook
  readonly headers: ShownHeaders
  readonly secret: string
}

/**
 * How many attempts a delivery of the webhook may have: the first attempt and all retries. The row of the delivery keeps
 * this number.
 */
export const maximumAttempts = (maxRetries: number): number => maxRetries + 1

/** The unsealed custom headers of a webhook. @throws SealError if the key ring cannot open them */
export function webhookHeaders(
  keys: KeyRing,
  companyId: string,
  webhook: Pick<Webhook, 'id' | 'headersSealed'>,
): Record<string, string> {
  if (webhook.headersSealed === null) return {}
  const text = unseal(keys, webhook.headersSealed, sealContext(companyId, webhook.id, 'headers'))
  return JSON.parse(text) as Record<string, string>
}

/** The settings of a webhook with unsealed headers. @throws SealError if the key ring cannot open them */
export function settingsOf(keys: KeyRing, companyId: string, webhook: Webhook): WebhookSettings {
  const { id, headersSealed, deactivatedReason, version, createdAt, updatedAt, ...settings } = webhook
  return { ...settings, headers: webhookHeaders(keys, companyId, webhook) }
}

/** The given settings in the form in which they are stored: headers sealed, null for no headers. */
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

/** A webhook's signing secret in clear. @throws SealError if the key ring cannot open it */
export const openSecret = (keys: KeyRing, companyId: string, webhookId: string, sealed: string): string =>
  unseal(keys, sealed, sealContext(companyId, webhookId, 'secret'))

/** A webhook's signing secret in its stored, sealed form. */
export const sealSecret = (keys: KeyRing, companyId: string, webhookId: string, secret: string): string =>
  seal(keys, secret, sealContext(companyId, webhookId, 'secret'))
