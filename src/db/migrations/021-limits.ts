import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/**
 * Limits that apply over all processes.
 *
 * - `webhooks.switches`: how often the webhook was switched, or got other event types, within the hour that began at
 *   `switches_since`. MySQL and MariaDB add both columns without copying rows.
 */
export const limits: Migration = {
  name: '021-limits',
  steps: [
    columns('webhooks', {
      switches_since: 'DATETIME(3) NULL',
      switches: 'INT UNSIGNED NOT NULL DEFAULT 0',
    }),
  ],
}
