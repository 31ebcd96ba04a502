import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/**
 * `webhooks.filter`: the condition for the webhook's events as JSON text, which keeps the order of its keys; null: no
 * filter. `filter_changed_at` tells whether an earlier event was judged by another filter. The former release ignores both
 * columns and delivers every event.
 */
export const filters: Migration = {
  name: '028-filters',
  steps: [columns('webhooks', { filter: 'TEXT NULL', filter_changed_at: 'DATETIME(3) NULL' })],
}
