import { DAY_MS } from '../../domain/instants.ts'
import type { MailState } from '../../domain/mail/mail.ts'
import { fromNow } from '../clock.ts'
import type { Db, SystemDb } from '../connection/connection.ts'
import { countRows, execute, readRows } from '../connection/statements.ts'
import type { DueRow } from '../due-rows.ts'

/** A mail to send. `mail_sealed` is set until the mail is sent or given up. */
export type MailRow = DueRow & { mail_sealed: string | null; created_at: Date }

/** How many mails the company has caused within the last 24 hours. */
export const countMailsOfDay = (db: Db, companyId: string): Promise<number> =>
  countRows(db('mails').where({ company_id: companyId }).where('created_at', '>', fromNow(db, -DAY_MS)))

/**
 * Counts a mail to a mailbox. The mailbox's row stays locked until the transaction ends. So companies that mail the
 * same mailbox at the same time count one after the other. The purge removes expired rows.
 *
 * @param mailbox a hash, because the row lives longer than the mail
 * @returns how many mails the current window of `windowMs` has, and when it ends. A window begins with its first mail
 */
export async function countMailTo(
  trx: Db,
  mailbox: string,
  { now, windowMs }: { readonly now: Date; readonly windowMs: number },
): Promise<{ readonly count: number; readonly endsAt: Date }> {
  const key = `mail:${mailbox}`
  const [at, end] = [now.getTime(), now.getTime() + windowMs]
  // Columns are assigned from left to right: `points` reads the former end of the window.
  await execute(trx)`
    INSERT INTO rate_limits (\`key\`, points, expire) VALUES (${key}, 1, ${end}) ON DUPLICATE KEY UPDATE
      points = IF(expire <= ${at}, 1, points + 1), expire = IF(expire <= ${at}, ${end}, expire)`
  const [row] = await readRows<{ points: number; expire: number }>(trx)`
    SELECT points, expire FROM rate_limits WHERE \`key\` = ${key}`
  return { count: row?.points ?? 0, endsAt: new Date(row?.expire ?? end) }
}

/** Writes a mail. It is due at once. */
export async function insertMail(
  trx: Db,
  companyId: string,
  { id, sealed }: { readonly id: string; readonly sealed: string },
): Promise<void> {
  const now = trx.raw('NOW(3)')
  await trx('mails').insert({ id, company_id: companyId, mail_sealed: sealed, due_at: now, created_at: now })
}

/** Ends a mail and removes its text. @param error why it was given up; null: it was sent */
export async function endMail(db: SystemDb, id: string, error: string | null): Promise<void> {
  const sentAt = error === null ? db.raw('NOW(3)') : null
  await db('mails').where({ id }).update({ mail_sealed: null, due_at: null, sent_at: sentAt, error })
}

/** Puts a mail back for another try. @param afterMs milliseconds from now, by the database's clock */
export async function postponeMail(
  db: SystemDb,
  id: string,
  { afterMs, error }: { readonly afterMs: number; readonly error: string },
): Promise<void> {
  await db('mails')
    .where({ id })
    .update({ due_at: fromNow(db, afterMs), error })
}

/** The states of the company's mails with these ids. A mail is absent a day after it was queued, because the purge removes it. */
export async function listMailStates(
  db: Db,
  companyId: string,
  ids: readonly string[],
): Promise<Map<string, MailState>> {
  const rows = await db('mails')
    .where({ company_id: companyId })
    .whereIn('id', [...ids])
    .select<{ id: string; due_at: Date | null; sent_at: Date | null }[]>('id', 'due_at', 'sent_at')
  return new Map(rows.map((row) => [row.id, stateOf(row)]))
}

const stateOf = (row: { due_at: Date | null; sent_at: Date | null }): MailState =>
  row.sent_at !== null ? 'sent' : row.due_at !== null ? 'waiting' : 'failed'
