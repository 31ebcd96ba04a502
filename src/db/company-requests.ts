import type { Db } from './connection/connection.ts'
import { readRows, run } from './connection/statements.ts'

/** The minute by the database's clock, in minutes since 1970. */
const MINUTE = 'FLOOR(UNIX_TIMESTAMP() / 60)'

/**
 * Adds to what a company took of its limit in the present minute, by the database's clock.
 *
 * @returns what all processes together wrote of that minute, with this
 */
export async function addCompanyRequests(db: Db, companyId: string, points: number): Promise<number> {
  await run(db, {
    // `taken` comes first, because the minute that the row had decides about it.
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
