import type { Migration } from './migration.ts'

/**
 * Limits that hold over all processes.
 *
 * - `webhooks.switches`: how often the webhook was switched or got other event types within the hour that began at
 *   `switches_since`. Servers add both without copying rows.
 */
export const limits: Migration = {
  name: '021-limits',
  up: [
    'ALTER TABLE webhooks ADD COLUMN switches_since DATETIME(3) NULL, ADD COLUMN switches INT UNSIGNED NOT NULL DEFAULT 0',
  ],
  down: ['webhooks.switches', 'webhooks.switches_since'],
}
