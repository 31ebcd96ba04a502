import { healthState } from '../domain/webhook/health.ts'
import type { CreatedWebhook, ShownHeaders, Webhook, WebhookView } from '../domain/webhook/webhook.ts'
import type { FilterPreview } from '../domain/webhook/filter/words.ts'

type ShownWebhook = Omit<WebhookView, 'holdsFirstAttempts'>

const presentCommon = (webhook: Webhook, headers: ShownHeaders) => ({
  id: webhook.id,
  name: webhook.name,
  description: webhook.description,
  url: webhook.url,
  events: webhook.events,
  is_active: webhook.isActive,
  headers,
  max_retries: webhook.maxRetries,
  ...(webhook.retrySchedule && { retry_schedule: webhook.retrySchedule }),
  ...(webhook.filter && { filter: webhook.filter }),
  ...(webhook.sendTraceparent && { send_traceparent: true }),
})

/** The Webhook in the answers to list, get and update: everything except the secret. */
export const presentWebhook = ({ webhook, headers, counters, health }: ShownWebhook) => ({
  ...presentCommon(webhook, headers),
  deactivated_reason: webhook.deactivatedReason,
  total_deliveries: counters.totalDeliveries,
  successful_deliveries: counters.successfulDeliveries,
  failed_deliveries: counters.failedDeliveries,
  last_triggered_at: counters.lastTriggeredAt?.toISOString() ?? null,
  health: presentHealth({ webhook, health, counters }),
  created_at: webhook.createdAt.toISOString(),
  updated_at: webhook.updatedAt.toISOString(),
})

/** The answer to a creation. Only this answer and the answer to a regeneration show the secret. */
export const presentCreatedWebhook = ({ webhook, headers, secret }: CreatedWebhook) => ({
  ...presentCommon(webhook, headers),
  secret,
  created_at: webhook.createdAt.toISOString(),
})

/** The same object, but the values of its headers are hidden: many are credentials. @param mark replaces each value */
export const withHiddenValues = <Shown extends { readonly headers: ShownHeaders }>(
  shown: Shown,
  mark: string | null = null,
) => ({ ...shown, headers: Object.fromEntries(Object.keys(shown.headers).map((name) => [name, mark])) })

/** The custom headers of a webhook in clear. */
export const presentHeaders = (id: string, headers: Readonly<Record<string, string>>) => ({ id, headers })

/** The answer to a regeneration. */
export const presentSecret = ({ id, secret }: { id: string; secret: string }) => ({ id, secret })

/** How the endpoint of a webhook answered in recent attempts, and how many deliveries wait for it. */
export const presentHealth = ({ webhook, health, counters }: Omit<ShownWebhook, 'headers'>) => ({
  state: healthState(webhook, health),
  failing_since: health.failingSince?.toISOString() ?? null,
  consecutive_failures: health.consecutiveFailures,
  last_success_at: counters.lastSuccessAt?.toISOString() ?? null,
  last_error: health.lastError,
  waiting: counters.waiting,
})

/** The result of trying a filter on events. */
export const presentFilterPreview = ({ examined, matched, examples }: FilterPreview) => ({
  examined,
  matched,
  examples: examples.map(({ eventId, isMatch, because }) => ({
    event_id: eventId,
    matched: isMatch,
    because,
  })),
})
