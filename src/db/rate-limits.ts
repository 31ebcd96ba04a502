import { RateLimiterMySQL } from 'rate-limiter-flexible'
import type { Db, SystemDb } from './connection/connection.ts'
import { execute, rawSql, readRows } from './connection/statements.ts'

export type CountedLimit = {
  /** The prefix of the limit's keys. Limits share the table, and each has its own prefix. */
  readonly name: string
  readonly points: number
  readonly durationS: number
}

/**
 * A limit whose counts are rows of `rate_limits`, one for each subject, such as an address. A write takes four round trips
 * on one connection. The purge removes expired rows.
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

/** SQL for the current minute of the database's clock, in minutes since 1970. */
const MINUTE = rawSql('FLOOR(UNIX_TIMESTAMP() / 60)')

/**
 * Adds to the points that a company has taken of its limit in the current minute, by the database's clock.
 *
 * @returns the points that all processes have written for that minute, the new ones included
 */
export async function addCompanyRequests(db: Db, companyId: string, points: number): Promise<number> {
  // `taken` comes first, because it depends on the former value of `minute`.
  await execute(db)`
    INSERT INTO company_requests (company_id, minute, taken) VALUES (${companyId}, ${MINUTE}, ${points})
        ON DUPLICATE KEY UPDATE taken = IF(minute = ${MINUTE}, taken, 0) + ${points}, minute = ${MINUTE}`
  const found = await readRows<{ taken: number }>(db)`
    SELECT taken FROM company_requests WHERE company_id = ${companyId}`
  return found[0]?.taken ?? points
}

/** A company may publish at most `perMinute` events in one minute, over all processes. */
export type QuotaOfMinute = {
  readonly companyId: string
  /** The beginning of the minute, by the clock of the database. */
  readonly minuteAt: Date
  readonly perMinute: number
}

/**
 * Takes a number of events from a company's quota of a minute: all of them or none. Each try is one conditional statement,
 * so all processes together never take more than the quota. If a new minute has begun and the process has not noticed, it
 * takes from the quota of the new minute.
 *
 * @param events not more than `perMinute`
 * @returns whether they were taken
 */
export async function takeFromQuota(db: Db, quota: QuotaOfMinute, events: number): Promise<boolean> {
  return (
    (await addToRow(db, quota, events)) ||
    (await insertRow(db, quota, events)) ||
    (await addToRow(db, quota, events))
  )
}

/** Adds to the row of a company. It sets `taken` first, because that depends on the former value of the minute. */
async function addToRow(
  db: Db,
  { companyId, minuteAt, perMinute }: QuotaOfMinute,
  events: number,
): Promise<boolean> {
  const updated = await execute(db)`
    UPDATE publish_quotas SET taken = IF(minute_at < ${minuteAt}, ${events}, taken + ${events}),
                              minute_at = GREATEST(minute_at, ${minuteAt})
     WHERE company_id = ${companyId} AND (minute_at < ${minuteAt} OR taken + ${events} <= ${perMinute})`
  return updated > 0
}

/** Inserts the row of a company that has none yet. */
async function insertRow(db: Db, { companyId, minuteAt }: QuotaOfMinute, events: number): Promise<boolean> {
  const inserted = await execute(db)`
    INSERT IGNORE INTO publish_quotas (company_id, minute_at, taken) VALUES (${companyId}, ${minuteAt}, ${events})`
  return inserted > 0
}
