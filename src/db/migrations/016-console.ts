import type { Migration } from './migration.ts'
import { columns, indexes, table } from './steps.ts'

/**
 * Tables and columns for the console: sessions, and the second factor and the allowed scopes of users.
 *
 * - `console_sessions.id_hash`: SHA-256 of the id, which only the browser has. `password_at`: when the user last entered
 *   the password.
 * - `users.allowed_scopes`: JSON; NULL: none. `totp_sealed`: the sealed secret of the authenticator app, which applies from
 *   `totp_confirmed_at` on. `totp_last_step`: the time step of the latest code that was used.
 */
export const consoleTables: Migration = {
  name: '016-console',
  steps: [
    table(
      'console_sessions',
      `id_hash BINARY(32) NOT NULL PRIMARY KEY,
       company_id {id} NOT NULL,
       user_id {id} NOT NULL,
       created_at DATETIME(3) NOT NULL,
       seen_at DATETIME(3) NOT NULL,
       password_at DATETIME(3) NOT NULL,
       expires_at DATETIME(3) NOT NULL,
       KEY console_sessions_user (company_id, user_id),
       KEY console_sessions_expires (expires_at),
       KEY console_sessions_seen (seen_at)`,
    ),
    table(
      'user_recovery_codes',
      `user_id {id} NOT NULL,
       code_hash BINARY(32) NOT NULL,
       PRIMARY KEY (user_id, code_hash)`,
    ),
    columns('users', {
      allowed_scopes: 'TEXT NULL',
      totp_sealed: 'VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL',
      totp_confirmed_at: 'DATETIME(3) NULL',
      totp_last_step: 'BIGINT NULL',
    }),
    indexes('users', { add: { users_email: '(active_email)' } }),
  ],
}
