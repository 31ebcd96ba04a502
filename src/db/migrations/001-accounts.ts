import type { Migration } from './migration.ts'
import { table } from './steps.ts'

/** Companies, their users, API keys and the daily usage of each key. */
export const accounts: Migration = {
  name: '001-accounts',
  steps: [
    table(
      'companies',
      `id {id} NOT NULL PRIMARY KEY,
       name VARCHAR(255) NOT NULL,
       created_at DATETIME(3) NOT NULL`,
    ),
    // active_email: the email while the user is a member, else NULL, so that the user may come back. It is stored in lower
    // case and compared byte by byte: á@example.com and a@example.com are two people.
    table(
      'users',
      `id {id} NOT NULL PRIMARY KEY,
       company_id {id} NOT NULL,
       email VARCHAR(255) NOT NULL,
       active_email VARCHAR(255) COLLATE utf8mb4_bin NULL,
       name VARCHAR(255) NOT NULL,
       password_hash VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       role VARCHAR(10) NOT NULL,
       left_at DATETIME(3) NULL,
       created_at DATETIME(3) NOT NULL,
       UNIQUE KEY users_active_email (company_id, active_email)`,
    ),
    table(
      'api_keys',
      `id {id} NOT NULL PRIMARY KEY,
       company_id {id} NOT NULL,
       environment {environment} NOT NULL,
       user_id {id} NULL,
       name VARCHAR(255) NOT NULL,
       description VARCHAR(2000) NULL,
       type VARCHAR(10) NOT NULL,
       key_hash BINARY(32) NOT NULL,
       prefix VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       scopes TEXT NOT NULL,
       ip_allowlist TEXT NOT NULL,
       is_active TINYINT(1) NOT NULL DEFAULT 1,
       expires_at DATETIME(3) NULL,
       revoked_at DATETIME(3) NULL,
       revoked_reason VARCHAR(40) NULL,
       rotated_to {id} NULL,
       rotated_at DATETIME(3) NULL,
       expiry_recorded_at DATETIME(3) NULL,
       last_used_at DATETIME(3) NULL,
       last_used_ip VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
       request_count BIGINT NOT NULL DEFAULT 0,
       created_at DATETIME(3) NOT NULL,
       updated_at DATETIME(3) NOT NULL,
       UNIQUE KEY api_keys_key_hash (key_hash),
       KEY api_keys_company (company_id, created_at, id),
       KEY api_keys_user (user_id)`,
    ),
    table(
      'api_key_usage',
      `key_id {id} NOT NULL,
       day DATE NOT NULL,
       requests BIGINT NOT NULL DEFAULT 0,
       PRIMARY KEY (key_id, day)`,
    ),
  ],
}
