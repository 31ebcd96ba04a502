import { addToCounters } from '../webhook/counters.ts'
import type { TenantRow } from '../conditions.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { countRemaining } from '../event/events.ts'
import { execute, keyTable, readRows } from '../connection/statements.ts'
import type { DeliveryRow } from '../delivery/rows.ts'
import { deleteWaiting } from '../outbox/outbox.ts'

type ClosedRow = Pick<DeliveryRow, 'id' | 'company_id' | 'environment' | 'webhook_id' | 'event_id' | 'status'>

/**
 * For each of its own rows, a page may remove at most this many dependent rows. With manual retries, a delivery may
 * have any number of attempts.
 */
export const MOST_DEPENDENTS_EACH = 10

/**
 * Removes deliveries that were closed before the time, oldest first, with their attempts. This lowers the totals of
 * lists, but not the counters of a webhook. It also lowers each event's count of remaining deliveries.
 *
 * @returns how many deliveries it removed; fewer than the limit: none is left. undefined: it removed as many attempts as
 *   one call may, and no delivery yet
 */
export async function purgeDeliveries(
  db: SystemDb,
  closedBefore: Date,
  limit: number,
): Promise<number | undefined> {
  return inTransaction(db, async (trx) => {
    const rows = await readRows<ClosedRow>(trx)`
      SELECT id, company_id, environment, webhook_id, event_id, status FROM deliveries
       WHERE closed_at < ${closedBefore} ORDER BY closed_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`
    if (rows.length === 0) return 0
    const ids = rows.map(({ id }) => id)
    const most = limit * MOST_DEPENDENTS_EACH
    const attempts = await execute(trx)`
      DELETE a FROM (SELECT delivery_id, number FROM ${keyTable(ids)} wanted
                       STRAIGHT_JOIN attempts FORCE INDEX (PRIMARY) ON delivery_id = wanted.value
                      LIMIT ${most}) page
        STRAIGHT_JOIN attempts a FORCE INDEX (PRIMARY) ON a.delivery_id = page.delivery_id AND a.number = page.number`
    if (attempts === most) return undefined
    await execute(trx)`
      DELETE d FROM ${keyTable(ids)} wanted
        STRAIGHT_JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = wanted.value`
    await deleteWaiting(trx, ids)
    await countRemaining(trx, rows, -1)
    await addToCounters(
      trx,
      rows.map((row) => ({
        webhookId: row.webhook_id,
        changes: row.status === 'success' ? { purgedSuccess: 1 } : { purgedFailed: 1 },
      })),
    )
    return rows.length
  })
}

/**
 * Removes events that were created before the time and that no delivery refers to.
 *
 * @returns how many events it removed; fewer than the limit: none is left
 */
export const purgeEvents = (db: SystemDb, createdBefore: Date, limit: number): Promise<number> =>
  db('events').where({ remaining: 0 }).where('created_at', '<', createdBefore).limit(limit).delete()

/**
 * Removes rows of feeds that were written before the time. It removes a tenant's rows from the oldest place on, without
 * a gap. The oldest place that is left tells readers whether they missed something.
 *
 * @returns how many rows it removed; fewer than the limit: none is left
 */
export async function purgeFeeds(db: SystemDb, before: Date, limit: number): Promise<number> {
  const tenants = await readRows<TenantRow>(db)`
    SELECT company_id, environment FROM feed_heads h
     WHERE (SELECT created_at FROM feed WHERE company_id = h.company_id AND environment = h.environment
             ORDER BY position LIMIT 1) < ${before}
     LIMIT ${limit}`
  let removed = 0
  for (const tenant of tenants) {
    for (let page = limit; page === limit && removed < limit; removed += page) {
      page = await removeOldest(db, tenant, before, limit)
    }
  }
  return removed
}

async function removeOldest(
  db: SystemDb,
  { company_id, environment }: TenantRow,
  before: Date,
  limit: number,
): Promise<number> {
  const feed = () => db('feed').where({ company_id, environment })
  const rows = await feed()
    .orderBy('position')
    .limit(limit)
    .select<{ position: number; created_at: Date }[]>('position', 'created_at')
  const kept = rows.findIndex(({ created_at: createdAt }) => createdAt >= before)
  const last = rows.at(kept === -1 ? -1 : kept - 1)
  return last && kept !== 0 ? feed().where('position', '<=', last.position).delete() : 0
}

/**
 * Removes notices that were made before the time and whose cause is older too. The notice of a key that has not ended
 * yet stays, because it would be made again. The marks of users are removed first, because a notice may have one mark
 * of each user of the company.
 *
 * @param limit of notices, and of marks
 * @returns how many notices it removed; `limit` if it removed that many marks first. Fewer than the limit: none is left
 */
export async function purgeNotices(db: SystemDb, before: Date, limit: number): Promise<number> {
  return inTransaction(db, async (trx) => {
    const rows = await readRows<{ id: string }>(trx)`
      SELECT id FROM notices WHERE created_at < ${before} AND hour < ${before}
       LIMIT ${limit} FOR UPDATE SKIP LOCKED`
    if (rows.length === 0) return 0
    const ids = rows.map(({ id }) => id)
    const marks = await trx('notice_marks').whereIn('notice_id', ids).limit(limit).delete()
    if (marks === limit) return limit
    return trx('notices').whereIn('id', ids).delete()
  })
}

/** Tables whose rows are removed by the time in one column, and the name of this column. Rows with NULL in it stay. */
const TIMES = {
  access_links: 'created_at',
  /** The daily figures of keys. The total of a key stays. */
  api_key_usage: 'day',
  /** The recent use of keys that nobody has used since the time. */
  api_key_recent: 'day',
  /** Answers kept for an Idempotency-Key. Their time is over, so no repeat can get them. */
  idempotency: 'created_at',
  /** Mails, whatever their state. */
  mails: 'created_at',
  /** Batches of notices that were never accepted. */
  notice_batches: 'created_at',
  recoveries: 'ended_at',
  /** Users who left. Their keys, sessions and codes ended when they left. */
  users: 'left_at',
  webhook_pauses: 'ends_at',
  /** The daily statistics, to which foldHours adds the hours. */
  webhook_stats_days: 'starts_at',
} as const

/** Removes rows with an earlier time. @returns how many; fewer than the limit: none is left */
export const purgeOlder = (
  db: SystemDb,
  table: keyof typeof TIMES,
  before: Date,
  limit: number,
): Promise<number> => db(table).where(TIMES[table], '<', before).limit(limit).delete()

/** Removes expired counts of limits. @returns how many it removed */
export const purgeRateLimits = (db: SystemDb, now: Date, limit: number): Promise<number> =>
  db('rate_limits').where('expire', '<', now.getTime()).limit(limit).delete()
