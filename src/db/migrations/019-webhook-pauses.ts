import type { Migration } from './migration.ts'
import { table } from './steps.ts'

/**
 * When webhooks were inactive, so that events of these times can be recovered. From this release on, every activation
 * and deactivation is written here. Earlier pauses are not known.
 *
 * - `ends_at`: NULL while the webhook is inactive.
 * - `event_types`: the types that the webhook subscribed to during the pause, separated by commas. A change of them begins
 *   another row.
 */
export const webhookPauses: Migration = {
  name: '019-webhook-pauses',
  steps: [
    table(
      'webhook_pauses',
      `id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
       webhook_id {id} NOT NULL,
       starts_at DATETIME(3) NOT NULL,
       ends_at DATETIME(3) NULL,
       event_types VARCHAR(1000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       KEY webhook_pauses_webhook (webhook_id, starts_at),
       KEY webhook_pauses_age (ends_at)`,
    ),
  ],
}
