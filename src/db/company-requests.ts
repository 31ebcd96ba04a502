import type { Db } from './connection/connection.ts'
import { readRows, run } from './connection/statements.ts'

/** The minute by the database's clock, in minutes since 1970. */
const MINUTE = 'FLOOR(UNIX_TIMESTAMP() / 60)'

/**
 * Adds to the points of its limit that a company took in this minute, by the database's clock.
 *
 * @returns the points that all processes wrote for that minute, these included
 */
export async function addCompanyRequests(db: Db, companyId: string, points: number): Promise<number> {
  await run(db, {
    // `taken` comes first, because it depends on the former minute of the row.
    sql: `INSERT INTO company_requests (company_id, minute, taken) VALUES (?, ${MINUTE}, ?)
          ON DUPLICATE KEY UPDATE taken = IF(minute = ${MINUTE}, taken, 0) + ?, minute = ${MINUTE}`,
    values: [companyId, points, points],
  })
  const found = await readRows<{ taken: number }>(db, {
    sql: 'SELECT taken FROM company_requests WHERE company_id = ?',
    values: [companyId],
  })
  return found[0]?.taken ?? points
}
