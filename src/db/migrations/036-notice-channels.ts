import type { Migration } from './migration.ts'
import { table } from './steps.ts'

/**
 * The channels through which companies are told of their notices. A row holds everything that waits for its channel, so its
 * size is limited.
 *
 * - `target_sealed`: the mail address or the URL. `target`: the part of it that may be shown.
 * - `secret_sealed`: for `https` the signing secret, for `email` the code until the user has entered it.
 * - `notice_kinds`: JSON; NULL: all kinds.
 * - `pending`: JSON, the notices since the latest message. `message`: the message that is being sent, the same at each try.
 * - `due_at`: when the next try may begin. During a try it is the end of the worker's lease. NULL: nothing waits.
 * - `test_wanted`: a worker sends a test first. `tested_at`, `test_ok`, `test_answer`: the outcome of the latest test.
 * - `off_at`: when it was switched off: by the service because it had failed for days, or by a user.
 */
export const noticeChannels: Migration = {
  name: '036-notice-channels',
  steps: [
    table(
      'notice_channels',
      `id {id} NOT NULL PRIMARY KEY,
       company_id {id} NOT NULL,
       kind VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       target VARCHAR(300) NOT NULL,
       target_sealed TEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       secret_sealed TEXT CHARACTER SET ascii COLLATE ascii_bin NULL,
       notice_kinds VARCHAR(1000) CHARACTER SET ascii COLLATE ascii_bin NULL,
       pause_ms INT UNSIGNED NOT NULL,
       confirmed_at DATETIME(3) NULL,
       wrong_codes TINYINT UNSIGNED NOT NULL DEFAULT 0,
       pending VARCHAR(1500) CHARACTER SET ascii COLLATE ascii_bin NULL,
       message MEDIUMTEXT NULL,
       due_at DATETIME(3) NULL,
       tries SMALLINT UNSIGNED NOT NULL DEFAULT 0,
       failing_since DATETIME(3) NULL,
       last_error VARCHAR(300) NULL,
       last_sent_at DATETIME(3) NULL,
       off_at DATETIME(3) NULL,
       test_wanted TINYINT NOT NULL DEFAULT 0,
       tested_at DATETIME(3) NULL,
       test_ok TINYINT NULL,
       test_answer VARCHAR(300) NULL,
       created_at DATETIME(3) NOT NULL,
       KEY notice_channels_company (company_id, created_at),
       KEY notice_channels_due (due_at)`,
    ),
  ],
}
