import type { Migration } from './migration.ts'
import { columns, table } from './steps.ts'

/**
 * Recoveries, and which of their deliveries wait for an attempt.
 *
 * - `recoveries.running_webhook_id`: the webhook until the recovery ends, then NULL. It is unique, so a webhook has
 *   only one recovery at a time.
 * - `recoveries.cursor_at`, `cursor_id`: the last delivery that was handled, by its creation and id. NULL: none yet.
 * - `recoveries.failed_in_row`: how many attempts of recovered deliveries have failed one after the other.
 * - `recoveries.touched_at`: when a worker last worked on it. The reconciler restarts a recovery that no worker touches.
 * - `recovery_deliveries`: deliveries that the recovery queued and whose attempt is not recorded yet. There are few at any
 *   time.
 * - `deliveries.recovery_base`: how many attempts the delivery had when a recovery last queued it. NULL: none did. While it
 *   equals `attempts`, the next attempt is the one that the recovery asked for.
 */
export const recoveries: Migration = {
  name: '018-recoveries',
  steps: [
    table(
      'recoveries',
      `id {id} NOT NULL PRIMARY KEY,
       company_id {id} NOT NULL,
       environment {environment} NOT NULL,
       webhook_id {id} NOT NULL,
       running_webhook_id {id} NULL,
       kind VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       state VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       stopped_reason VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NULL,
       since_at DATETIME(3) NOT NULL,
       until_at DATETIME(3) NOT NULL,
       total INT UNSIGNED NULL,
       queued INT UNSIGNED NOT NULL DEFAULT 0,
       failed_in_row INT UNSIGNED NOT NULL DEFAULT 0,
       cursor_at DATETIME(3) NULL,
       cursor_id {eventId} NULL,
       created_at DATETIME(3) NOT NULL,
       touched_at DATETIME(3) NOT NULL,
       ended_at DATETIME(3) NULL,
       UNIQUE KEY recoveries_running (running_webhook_id),
       KEY recoveries_list (company_id, environment, created_at, id),
       KEY recoveries_touched (state, touched_at),
       KEY recoveries_ended (ended_at)`,
    ),
    table(
      'recovery_deliveries',
      `recovery_id {id} NOT NULL,
       delivery_id {id} NOT NULL,
       attempts_before INT UNSIGNED NOT NULL,
       PRIMARY KEY (recovery_id, delivery_id)`,
    ),
    columns('deliveries', { recovery_base: 'INT UNSIGNED NULL' }),
  ],
}
