import { RateLimiterMySQL } from 'rate-limiter-flexible'
import type { Db, SystemDb } from './connection/connection.ts'
import { readRows, run } from './connection/statements.ts'

export type CountedLimit = {
  /** Distinguishes the limits that share the table. */
  readonly name: string
  readonly points: number
  readonly durationS: number
}

/**
 * A limit whose counts are rows of `rate_limits`, one for each subject that is counted, such as an address. A write takes four round trips on one connection. The
 * purge removes what has expired.
 */
export const createDatabaseLimiter = (
  db: SystemDb,
  { name, points, durationS }: CountedLimit,
): RateLimiterMySQL =>
  new RateLimiterMySQL({
    storeClient: db,
    storeType: 'knex',
    dbName: (db.client as { database(): string }).database(),
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points,
    duration: durationS,
  })

/** The minute by the database's clock, in minutes since 1970. */
const MINUTE = 'FLOOR(UNIX_TIMESTAMP() / 60)'

/**
 * Adds points to what a company has taken of its limit in this minute, by the database's clock.
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
