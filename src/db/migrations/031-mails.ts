import type { Migration } from './migration.ts'
import { table } from './steps.ts'

/**
 * Mails of companies, such as invitations. A worker sends each, and tries again for a day.
 *
 * - `mail_sealed`: address, subject and text, because the text may hold a link that signs somebody in. NULL once the mail
 *   is sent or given up.
 * - `due_at`: when the next try may begin. During a try it is the end of the worker's lease. NULL: the mail was sent or
 *   given up.
 * - `error`: why the latest try failed. NULL: no try failed, or the mail was sent.
 */
export const mails: Migration = {
  name: '031-mails',
  steps: [
    table(
      'mails',
      `id {id} NOT NULL PRIMARY KEY,
       company_id {id} NOT NULL,
       mail_sealed MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NULL,
       tries SMALLINT UNSIGNED NOT NULL DEFAULT 0,
       due_at DATETIME(3) NULL,
       sent_at DATETIME(3) NULL,
       error VARCHAR(300) NULL,
       created_at DATETIME(3) NOT NULL,
       KEY mails_due (due_at),
       KEY mails_company (company_id, created_at),
       KEY mails_age (created_at)`,
    ),
  ],
}
