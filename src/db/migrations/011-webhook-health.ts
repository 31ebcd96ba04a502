import type { Migration } from './migration.ts'
import { table } from './steps.ts'

/**
 * What attempts have shown about the endpoint of a webhook. A webhook without a failed attempt has no row.
 *
 * - `limited_until`: until then workers must read the row before a first attempt. NULL: they need not.
 * - `changed_at`: tells workers which rows changed since they last read.
 */
export const webhookHealth: Migration = {
  name: '011-webhook-health',
  steps: [
    table(
      'webhook_health',
      `webhook_id {id} NOT NULL PRIMARY KEY,
       consecutive_failures INT UNSIGNED NOT NULL DEFAULT 0,
       failing_since DATETIME(3) NULL,
       probe_at DATETIME(3) NULL,
       failed_probes INT UNSIGNED NOT NULL DEFAULT 0,
       probe_delivery_id {id} NULL,
       paused_until DATETIME(3) NULL,
       recovered_at DATETIME(3) NULL,
       limited_until DATETIME(3) NULL,
       changed_at DATETIME(3) NOT NULL,
       KEY webhook_health_limited (limited_until),
       KEY webhook_health_changed (changed_at)`,
    ),
  ],
}
