import type { Migration } from './migration.ts'
import { table } from './steps.ts'

/** Webhooks, the event types they subscribe to, and their counters. */
export const webhooks: Migration = {
  name: '002-webhooks',
  steps: [
    table(
      'webhooks',
      `id {id} NOT NULL PRIMARY KEY,
       company_id {id} NOT NULL,
       environment {environment} NOT NULL,
       name VARCHAR(255) NOT NULL,
       description VARCHAR(2000) NULL,
       url VARCHAR(2048) NOT NULL,
       secret_sealed TEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       headers_sealed MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NULL,
       is_active TINYINT(1) NOT NULL,
       max_retries TINYINT UNSIGNED NOT NULL,
       retry_schedule VARCHAR(255) NULL,
       deactivated_reason VARCHAR(40) NULL,
       version INT UNSIGNED NOT NULL DEFAULT 1,
       deleted_at DATETIME(3) NULL,
       created_at DATETIME(3) NOT NULL,
       updated_at DATETIME(3) NOT NULL,
       KEY webhooks_list (company_id, environment, deleted_at, created_at, id)`,
    ),
    table(
      'webhook_event_types',
      `webhook_id {id} NOT NULL,
       event_type VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       position TINYINT UNSIGNED NOT NULL,
       company_id {id} NOT NULL,
       environment {environment} NOT NULL,
       PRIMARY KEY (webhook_id, event_type),
       KEY webhook_event_types_match (company_id, environment, event_type, webhook_id)`,
    ),
    // The rows of one webhook are shards. A figure is their sum, so a single shard may be negative.
    table(
      'webhook_counters',
      `webhook_id {id} NOT NULL,
       shard TINYINT UNSIGNED NOT NULL,
       pending BIGINT NOT NULL DEFAULT 0,
       retrying BIGINT NOT NULL DEFAULT 0,
       success BIGINT NOT NULL DEFAULT 0,
       failed BIGINT NOT NULL DEFAULT 0,
       purged_success BIGINT NOT NULL DEFAULT 0,
       purged_failed BIGINT NOT NULL DEFAULT 0,
       last_triggered_at DATETIME(3) NULL,
       PRIMARY KEY (webhook_id, shard)`,
    ),
  ],
}
