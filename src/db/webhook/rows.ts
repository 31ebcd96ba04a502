import type { Webhook } from '../../domain/webhook/webhook.js'

/** A row of `webhooks`. */
export type WebhookRow = {
  id: string
  company_id: string
  environment: string
  name: string
  description: string | null
  url: string
  secret_sealed: string
  headers_sealed: string | null
  is_active: number | boolean
  max_retries: number
  retry_schedule: string | null
  deactivated_reason: string | null
  version: number
  deleted_at: Date | null
  created_at: Date
  updated_at: Date
}

/** A webhook's own delays in seconds, as its column keeps them. */
export const scheduleText = (seconds: readonly number[] | null): string | null =>
  seconds && JSON.stringify(seconds)

/** The row as the domain knows it, with the event types of its subscriptions. */
export const toWebhook = (row: WebhookRow, events: string[]): Webhook => ({
  id: row.id,
  name: row.name,
  description: row.description,
  url: row.url,
  events: events,
  isActive: Boolean(row.is_active),
  headersSealed: row.headers_sealed,
  maxRetries: row.max_retries,
  retrySchedule: row.retry_schedule === null ? null : (JSON.parse(row.retry_schedule) as number[]),
  deactivatedReason: row.deactivated_reason,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
