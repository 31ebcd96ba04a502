import type { Webhook } from '../../domain/webhook/webhook.ts'
import { fromColumns } from './columns.ts'

/** A row of `webhooks`: the columns that queries name. columns.ts maps those of the fields. */
export type WebhookRow = {
  id: string
  company_id: string
  environment: string
  is_active: number | boolean
  secret_sealed: string
  version: number
  deleted_at: Date | null
  created_at: Date
  updated_at: Date
}

/** The row as the domain knows it, with the event types of its subscriptions. */
export const toWebhook = (row: WebhookRow, events: string[]): Webhook => ({
  ...fromColumns(row),
  id: row.id,
  events,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
