import { healthState } from '../domain/webhook/health-state.ts'
import type { EndpointHealth } from '../domain/webhook/health.ts'
import type { Webhook, WebhookCounters } from '../domain/webhook/webhook.ts'

type ShownHealth = {
  readonly webhook: Webhook
  readonly health: EndpointHealth
  readonly counters: WebhookCounters
}

/** How the endpoint of a webhook has answered lately, and how many deliveries wait for it. */
export const presentHealth = ({ webhook, health, counters }: ShownHealth) => ({
  state: healthState(webhook, health),
  failing_since: health.failingSince?.toISOString() ?? null,
  consecutive_failures: health.consecutiveFailures,
  last_success_at: counters.lastSuccessAt?.toISOString() ?? null,
  last_error: health.lastError,
  waiting: counters.waiting,
})
