import type { Migration } from './migration.ts'
import { columns, indexes, table } from './steps.ts'

/**
 * Notices that tell people about webhooks and keys, and the columns and indexes by which the service finds the causes
 * of notices.
 *
 * - `notices.company_id`, `environment`: the tenant of the notice. NULL: the notice is for the operator only.
 * - `notices.target_id`: the webhook or the key. '' for a notice to the operator.
 * - `notices.hour`: the hour in which the cause began. So each cause makes one notice, even if two workers find it.
 * - `notices.total`, `at`, `error`: values for the message, see src/domain/notice/notice.ts.
 * - `notices.state`: `new` until it is in the log and in the metric, then `waiting` for a batch to NOTICE_URL, then `done`.
 * - `notice_batches`: bodies for NOTICE_URL, exactly as they are sent. They stay until they were answered with 2xx.
 * - `webhook_stats_hours.failed_deliveries`: how many deliveries failed for good. Its index also serves the purge, and
 *   replaces `webhook_stats_hours_age`.
 * - `api_keys_expiry`: keys that expire soon.
 */
export const notices: Migration = {
  name: '015-notices',
  steps: [
    table(
      'notices',
      `id {id} NOT NULL PRIMARY KEY,
       company_id {id} NULL,
       environment {environment} NULL,
       kind VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       target_id {id} NOT NULL,
       hour DATETIME NOT NULL,
       total INT UNSIGNED NULL,
       at DATETIME(3) NULL,
       error VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NULL,
       state VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       created_at DATETIME(3) NOT NULL,
       UNIQUE KEY notices_cause (kind, target_id, hour),
       KEY notices_list (company_id, environment, created_at, id),
       KEY notices_age (created_at, id),
       KEY notices_state (state, created_at, id)`,
    ),
    table(
      'notice_batches',
      `id {id} NOT NULL PRIMARY KEY,
       body MEDIUMBLOB NOT NULL,
       created_at DATETIME(3) NOT NULL`,
    ),
    columns('webhook_stats_hours', { failed_deliveries: 'INT UNSIGNED NOT NULL DEFAULT 0' }),
    indexes('webhook_stats_hours', {
      drop: { webhook_stats_hours_age: '(starts_at)' },
      add: { webhook_stats_hours_failed: '(starts_at, failed_deliveries)' },
    }),
    indexes('api_keys', { add: { api_keys_expiry: '(expires_at)' } }),
  ],
}
