import type { Migration } from './migration.ts'
import { table } from './steps.ts'

/**
 * Events with the exact bytes that are sent, one delivery for each event and webhook, its attempts, and the outbox of
 * commands for Temporal. There are no foreign keys, because these tables take every write of the hot path.
 */
export const deliveries: Migration = {
  name: '003-deliveries',
  steps: [
    // remaining: how many deliveries of the event the purge has not removed. At 0 nothing refers to the event any more.
    table(
      'events',
      `company_id {id} NOT NULL,
       environment {environment} NOT NULL,
       id {eventId} NOT NULL,
       type VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       body MEDIUMBLOB NOT NULL,
       fingerprint BINARY(32) NOT NULL,
       deliveries INT UNSIGNED NOT NULL DEFAULT 0,
       remaining INT NOT NULL DEFAULT 0,
       created_at DATETIME(3) NOT NULL,
       PRIMARY KEY (company_id, environment, id),
       KEY events_unused (remaining, created_at)`,
    ),
    // wake_at: when an open delivery is due; NULL once it is closed or parked. The reconciler reads it. Every index
    // makes each insert and most updates slower, so there are only six. They serve these purposes (012-delivery-lists
    // replaces some of them): event: allows one delivery for each event and webhook; list: a page of a webhook's
    // deliveries; status: the same for one status, and the open deliveries of a webhook that is deleted or activated;
    // wake and parked: the reconciler; closed: the purge.
    table(
      'deliveries',
      `id {id} NOT NULL PRIMARY KEY,
       company_id {id} NOT NULL,
       environment {environment} NOT NULL,
       webhook_id {id} NOT NULL,
       event_id {eventId} NOT NULL,
       event_type VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       status VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       attempts INT UNSIGNED NOT NULL DEFAULT 0,
       max_attempts INT UNSIGNED NOT NULL,
       attempts_base INT UNSIGNED NOT NULL DEFAULT 0,
       retry_seq INT UNSIGNED NOT NULL DEFAULT 0,
       retry_served INT UNSIGNED NOT NULL DEFAULT 0,
       retry_requested_at DATETIME(3) NULL,
       response_code SMALLINT UNSIGNED NULL,
       response_body TEXT NULL,
       request_duration_ms INT UNSIGNED NULL,
       created_at DATETIME(3) NOT NULL,
       delivered_at DATETIME(3) NULL,
       next_retry_at DATETIME(3) NULL,
       wake_at DATETIME(3) NULL,
       parked_at DATETIME(3) NULL,
       closed_at DATETIME(3) NULL,
       closed_reason VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NULL,
       UNIQUE KEY deliveries_event (webhook_id, event_id),
       KEY deliveries_list (webhook_id, created_at, id),
       KEY deliveries_status (webhook_id, status, created_at, id),
       KEY deliveries_wake (wake_at),
       KEY deliveries_parked (parked_at),
       KEY deliveries_closed (closed_at)`,
    ),
    table(
      'attempts',
      `delivery_id {id} NOT NULL,
       number INT UNSIGNED NOT NULL,
       started_at DATETIME(3) NOT NULL,
       duration_ms INT UNSIGNED NOT NULL,
       response_code SMALLINT UNSIGNED NULL,
       response_body TEXT NULL,
       error VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NULL,
       \`trigger\` VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       PRIMARY KEY (delivery_id, number)`,
    ),
    // lane: the row's queue (db/outbox/queues.ts). subject_id: its target. available_at: when the row may be claimed. A claim
    // moves it to the end of the lease, an error moves it to the end of the back-off.
    table(
      'outbox',
      `id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
       kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       subject_id {id} NOT NULL,
       company_id {id} NOT NULL,
       lane {id} NOT NULL,
       version INT UNSIGNED NOT NULL DEFAULT 1,
       argument BIGINT NULL,
       available_at DATETIME(3) NOT NULL,
       tries INT UNSIGNED NOT NULL DEFAULT 0,
       lease_owner {id} NULL,
       created_at DATETIME(3) NOT NULL,
       UNIQUE KEY outbox_subject (kind, subject_id),
       KEY outbox_claim (lane, company_id, available_at, id)`,
    ),
  ],
}
