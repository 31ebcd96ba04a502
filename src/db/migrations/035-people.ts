import type { Migration } from './migration.ts'
import { columns, table } from './steps.ts'

/**
 * Links with which people set their own passwords, the devices of sessions, and the second factor that a company requires.
 *
 * - `access_links.token_hash`: SHA-256 of the token, which only the link has. `user_id`: the user whose password it sets;
 *   NULL: it makes a user. `ended_as`: used, revoked or replaced.
 * - `console_sessions.ip`, `user_agent`: from the sign-in; NULL for sessions of former releases.
 * - `companies.second_factor_required_at`: since when it is required; NULL: it is not.
 */
export const people: Migration = {
  name: '035-people',
  steps: [
    table(
      'access_links',
      `id {id} NOT NULL PRIMARY KEY,
       company_id {id} NOT NULL,
       kind VARCHAR(10) NOT NULL,
       email VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
       user_id {id} NULL,
       role VARCHAR(10) NOT NULL,
       allowed_scopes TEXT NOT NULL,
       token_hash BINARY(32) NOT NULL,
       made_by VARCHAR(80) NOT NULL,
       mail_id {id} NULL,
       created_at DATETIME(3) NOT NULL,
       expires_at DATETIME(3) NOT NULL,
       ended_at DATETIME(3) NULL,
       ended_as VARCHAR(10) NULL,
       UNIQUE KEY access_links_token (token_hash),
       KEY access_links_open (company_id, ended_at, kind, created_at),
       KEY access_links_made (company_id, created_at),
       KEY access_links_age (created_at)`,
    ),
    columns('console_sessions', {
      ip: 'VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL',
      user_agent: 'VARCHAR(255) NULL',
    }),
    columns('companies', { second_factor_required_at: 'DATETIME(3) NULL' }),
  ],
}
