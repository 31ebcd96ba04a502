import type { Migration } from './migration.ts'
import { columns, table } from './steps.ts'

/**
 * Which users are done with which notices.
 *
 * - `notices.done_at`, `done_by`: since when the notice is done for all users of the company, and who marked it; NULL: it
 *   is open.
 * - `notice_places`: a user is done with all notices up to this one. One row for each user and environment.
 * - `notice_marks`: a user's mark of one notice, `is_done` 1 or 0. It overrides the place. A user has at most
 *   NOTICE_MARKS_AT_MOST.
 */
export const noticeMarks: Migration = {
  name: '039-notice-marks',
  steps: [
    columns('notices', { done_at: 'DATETIME(3) NULL', done_by: '{id} NULL' }),
    table(
      'notice_places',
      `company_id {id} NOT NULL,
       user_id {id} NOT NULL,
       environment {environment} NOT NULL,
       created_at DATETIME(3) NOT NULL,
       notice_id {id} NOT NULL,
       PRIMARY KEY (company_id, user_id, environment)`,
    ),
    table(
      'notice_marks',
      `company_id {id} NOT NULL,
       user_id {id} NOT NULL,
       notice_id {id} NOT NULL,
       is_done TINYINT NOT NULL,
       PRIMARY KEY (company_id, user_id, notice_id),
       KEY notice_marks_notice (notice_id)`,
    ),
  ],
}
