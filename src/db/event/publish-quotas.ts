import type { Db } from '../connection/connection.ts'
import { foundBy, run } from '../connection/statements.ts'

/** Whose quota of which minute, and what all processes together may take of it. */
export type QuotaOfMinute = {
  readonly companyId: string
  /** The beginning of the minute, by the clock of the database. */
  readonly minuteAt: Date
  readonly perMinute: number
}

/**
 * Takes a number of events from a company's quota of a minute, all or none. Each try is one conditional statement, so
 * that the processes never take more than the quota together. A process that has not yet noticed a new minute takes from
 * the new one all the same.
 *
 * @param events not more than `perMinute`
 * @returns whether they were taken
 */
export async function takeFromQuota(db: Db, quota: QuotaOfMinute, events: number): Promise<boolean> {
  return (
    (await addTo(db, quota, events)) || (await begin(db, quota, events)) || (await addTo(db, quota, events))
  )
}

/** `taken` is set first, because it is decided by the minute that the row had before. */
async function addTo(
  db: Db,
  { companyId, minuteAt, perMinute }: QuotaOfMinute,
  events: number,
): Promise<boolean> {
  const updated = await run(db, {
    sql: `UPDATE publish_quotas
             SET taken = IF(minute_at < ?, ?, taken + ?), minute_at = GREATEST(minute_at, ?)
           WHERE company_id = ? AND (minute_at < ? OR taken + ? <= ?)`,
    values: [minuteAt, events, events, minuteAt, companyId, minuteAt, events, perMinute],
  })
  return foundBy(updated) > 0
}

/** Inserts the row of a company that has none yet. */
async function begin(db: Db, { companyId, minuteAt }: QuotaOfMinute, events: number): Promise<boolean> {
  const inserted = await run(db, {
    sql: 'INSERT IGNORE INTO publish_quotas (company_id, minute_at, taken) VALUES (?, ?, ?)',
    values: [companyId, minuteAt, events],
  })
  return foundBy(inserted) > 0
}
