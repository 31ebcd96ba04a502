import type { Migration } from './migration.ts'
import { table } from './steps.ts'

/**
 * Mails of companies, such as invitations. A worker sends each, and tries again for a day.
 *
 * - `mail_sealed`: address, subject and text, because a text may hold a link that lets somebody in; NULL once that is over.
 * - `due_at`: the time of the next try, or when the lease of a worker that tries ends; NULL: it was sent or given up.
 * - `error`: what became of the latest try; NULL: none failed, or it was sent.
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
