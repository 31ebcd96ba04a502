import type { Migration } from './migration.ts'
import { table } from './steps.ts'

/** Worker heartbeats, leases for work that only one process does, the records of the sales data, the audit, and idempotency. */
export const operation: Migration = {
  name: '004-operation',
  steps: [
    table(
      'workers',
      `id {id} NOT NULL PRIMARY KEY,
       address VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       started_at DATETIME(3) NOT NULL,
       heartbeat_at DATETIME(3) NOT NULL,
       KEY workers_heartbeat (heartbeat_at)`,
    ),
    table(
      'leases',
      `name VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
       owner {id} NOT NULL,
       expires_at DATETIME(3) NOT NULL`,
    ),
    table(
      'resources',
      `id {id} NOT NULL PRIMARY KEY,
       company_id {id} NOT NULL,
       environment {environment} NOT NULL,
       family VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       fields MEDIUMTEXT NOT NULL,
       created_at DATETIME(3) NOT NULL,
       updated_at DATETIME(3) NOT NULL,
       KEY resources_list (company_id, environment, family, created_at, id)`,
    ),
    table(
      'audit',
      `id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
       company_id {id} NOT NULL,
       at DATETIME(3) NOT NULL,
       actor VARCHAR(80) NOT NULL,
       action VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       subject_id {id} NOT NULL,
       details TEXT NOT NULL,
       ip VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
       request_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
       KEY audit_subject (company_id, subject_id, id),
       KEY audit_at (company_id, at)`,
    ),
    table(
      'idempotency',
      `scope BINARY(32) NOT NULL PRIMARY KEY,
       company_id {id} NOT NULL,
       fingerprint BINARY(32) NOT NULL,
       status SMALLINT UNSIGNED NULL,
       answer_sealed MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NULL,
       locked_until DATETIME(3) NOT NULL,
       created_at DATETIME(3) NOT NULL,
       KEY idempotency_created (created_at)`,
    ),
  ],
}
