import { fromNow } from './clock.ts'
import { inTransaction, type SystemDb } from './connection/connection.ts'
import { NOTHING, rawSql, readRows, sql } from './connection/statements.ts'

/** How many rows one claim reads. */
const CANDIDATES = 200

/** The largest number that a `tries` column can store. */
const MOST_TRIES = 65_535

/**
 * The columns that mails and notice channels share. A worker sends a row once its `due_at` has come; NULL: nothing to
 * send.
 */
export type DueRow = { id: string; company_id: string; tries: number }

/** How many rows a worker can take, and for how long. */
export type DueClaim = {
  readonly room: number
  /** This worker may have at most this many rows of one company at a time. */
  readonly perCompany: number
  /** How many rows of each company this worker has now. */
  readonly running: ReadonlyMap<string, number>
  /** The rows are due again after this many milliseconds, in case the worker dies. */
  readonly leaseMs: number
}

/** A cheap check before a claim. Workers ask every second, and mostly nothing is due. */
async function isAnyDue(db: SystemDb, table: string): Promise<boolean> {
  const due = await readRows(db)`
    SELECT 1 FROM ${rawSql(table)} FORCE INDEX (${rawSql(`${table}_due`)}) WHERE due_at <= NOW(3) LIMIT 1`
  return due.length > 0
}

/**
 * Takes due rows and counts the try. The rows that became due first come first. It skips a company that has
 * `perCompany` rows already, so that its slow receivers do not delay other companies. It also skips suspended
 * companies.
 *
 * @returns the rows; none if nothing is due that this worker may take
 */
export async function claimDue<Row extends DueRow>(
  db: SystemDb,
  table: 'mails' | 'notice_channels',
  { room, perCompany, running, leaseMs }: DueClaim,
): Promise<Row[]> {
  if (!(await isAnyDue(db, table))) return []
  const full = [...running].filter(([, count]) => count >= perCompany).map(([companyId]) => companyId)
  return inTransaction(db, async (trx) => {
    const candidates = await readRows<DueRow>(trx)`
      SELECT id, company_id FROM ${rawSql(table)} due FORCE INDEX (${rawSql(`${table}_due`)})
       WHERE due_at <= NOW(3) ${full.length > 0 ? sql`AND company_id NOT IN (${full})` : NOTHING}
         AND NOT EXISTS (SELECT 1 FROM companies c WHERE c.id = due.company_id AND c.suspended_at IS NOT NULL)
       ORDER BY due_at LIMIT ${CANDIDATES} FOR UPDATE SKIP LOCKED`
    const counts = new Map(running)
    const ids: string[] = []
    for (const { id, company_id: companyId } of candidates) {
      const count = counts.get(companyId) ?? 0
      if (count >= perCompany || ids.length >= room) continue
      counts.set(companyId, count + 1)
      ids.push(id)
    }
    if (ids.length === 0) return []
    await trx(table)
      .whereIn('id', ids)
      // LEAST, because `tries` of a row that is tried forever would overflow, and the claim of all rows would fail.
      .update({ due_at: fromNow(trx, leaseMs), tries: trx.raw('LEAST(tries + 1, ?)', [MOST_TRIES]) })
    return readRows<Row>(trx)`SELECT * FROM ${rawSql(table)} WHERE id IN (${ids}) ORDER BY id`
  })
}
