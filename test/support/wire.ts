import type { Recovery } from '../../src/domain/recovery/recovery.ts'
import type { Webhook, WebhookCounters } from '../../src/domain/webhook/webhook.ts'

/** Objects as the rules know them, each with the JSON that a client reads of it. */

export const AT = new Date('2026-01-05T12:00:00.000Z')
export const T = '2026-01-05T12:00:00.000Z'

export const WEBHOOK: Webhook = {
  id: 'whk_1',
  name: 'Hook',
  description: null,
  url: 'https://example.com/',
  events: ['contact.created'],
  isActive: true,
  headersSealed: null,
  maxRetries: 5,
  retrySchedule: null,
  deactivatedReason: null,
  version: 1,
  createdAt: AT,
  updatedAt: AT,
}

export const COUNTERS: WebhookCounters = {
  totalDeliveries: 9,
  successfulDeliveries: 6,
  failedDeliveries: 1,
  waiting: 2,
  lastTriggeredAt: AT,
  lastSuccessAt: AT,
}

export const WIRE_WEBHOOK = {
  id: 'whk_1',
  name: 'Hook',
  description: null,
  url: 'https://example.com/',
  events: ['contact.created'],
  is_active: true,
  headers: { 'x-a': 'b' },
  max_retries: 5,
  deactivated_reason: null,
  total_deliveries: 9,
  successful_deliveries: 6,
  failed_deliveries: 1,
  last_triggered_at: T,
  health: {
    state: 'healthy',
    failing_since: null,
    consecutive_failures: 0,
    last_success_at: T,
    last_error: null,
    waiting: 2,
  },
  created_at: T,
  updated_at: T,
}

export const RECOVERY: Recovery = {
  id: 'rec_1',
  webhookId: 'whk_1',
  kind: 'failed',
  state: 'running',
  stoppedReason: null,
  since: AT,
  until: AT,
  total: 7,
  queued: 3,
  createdAt: AT,
  endedAt: null,
}

export const WIRE_RECOVERY = {
  id: 'rec_1',
  webhook_id: 'whk_1',
  recovers: 'failed',
  status: 'running',
  stopped_reason: null,
  total: 7,
  queued: 3,
  since: T,
  until: T,
  created_at: T,
  ended_at: null,
}
