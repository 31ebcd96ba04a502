import type { Migration } from './migration.ts'
import { columns, table } from './steps.ts'

/**
 * Limits of sign-ins and keys that apply over all processes.
 *
 * - `rate_limits`: failures that api processes counted, in the three columns that rate-limiter-flexible writes. `expire` is
 *   in milliseconds since 1970, by the clock of the process that wrote it.
 * - `users.totp_failures`: wrong codes in a row. `totp_locked_at`: since when codes of the app are refused; NULL: they
 *   are accepted. MySQL and MariaDB add both columns without copying rows.
 */
export const signIn: Migration = {
  name: '023-sign-in',
  steps: [
    table(
      'rate_limits',
      `\`key\` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
       points INT NOT NULL DEFAULT 0,
       expire BIGINT UNSIGNED NULL,
       KEY rate_limits_expire (expire)`,
    ),
    columns('users', {
      totp_failures: 'SMALLINT UNSIGNED NOT NULL DEFAULT 0',
      totp_locked_at: 'DATETIME(3) NULL',
    }),
  ],
}
