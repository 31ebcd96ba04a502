import { RateLimiterMySQL } from 'rate-limiter-flexible'
import type { SystemDb } from './connection/connection.ts'

export type CountedLimit = {
  /** Distinguishes the limits that share the table. */
  readonly name: string
  readonly points: number
  readonly durationS: number
}

/**
 * A limit whose counts are rows of `rate_limits`, one for each key of it. A write takes four round trips on one connection. The
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
