import { addToCounters } from '../webhook/counters.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { countRemaining } from '../event/events.ts'
import { keyTable, run } from '../connection/statements.ts'
import type { DeliveryRow } from '../delivery/rows.ts'
import { deleteWaiting } from '../outbox/rows.ts'

type ClosedRow = Pick<DeliveryRow, 'id' | 'company_id' | 'environment' | 'webhook_id' | 'event_id' | 'status'>

/**
 * Removes deliveries that were closed before the time, with their attempts, oldest first. This lowers the totals of
 * lists, but not the counters that a webhook shows. Each event counts its remaining deliveries.
 *
 * @returns how many it removed; fewer than the limit means that none is left
 */
export async function purgeDeliveries(db: SystemDb, closedBefore: Date, limit: number): Promise<number> {
  return inTransaction(db, async (trx) => {
    const rows: ClosedRow[] = await trx('deliveries')
      .where('closed_at', '<', closedBefore)
      .orderBy('closed_at')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .select('id', 'company_id', 'environment', 'webhook_id', 'event_id', 'status')
    if (rows.length === 0) return 0
    const ids = rows.map(({ id }) => id)
    await removeByKeys(trx, 'attempts', 'delivery_id', ids)
    await removeByKeys(trx, 'deliveries', 'id', ids)
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

/** Removes rows by a column with which the primary key begins, so that it waits for no other row. */
async function removeByKeys(
  trx: SystemDb,
  table: string,
  column: string,
  ids: readonly string[],
): Promise<void> {
  const { sql, values } = keyTable(ids)
  await run(trx, {
    sql: `DELETE t FROM ${sql} wanted STRAIGHT_JOIN ${table} t FORCE INDEX (PRIMARY) ON t.${column} = wanted.value`,
    values,
  })
}

/**
 * Removes events that were created before the time and that no delivery refers to.
 *
 * @returns how many it removed; fewer than the limit means that none is left
 */
export async function purgeEvents(db: SystemDb, createdBefore: Date, limit: number): Promise<number> {
  return db('events').where({ remaining: 0 }).where('created_at', '<', createdBefore).limit(limit).delete()
}

/**
 * Removes rows of feeds that were written before the time, from the oldest place of a tenant on and without a gap.
 * Readers see by the gap before the oldest row that they missed something.
 *
 * @returns how many it removed; fewer than the limit means that none is left
 */
export async function purgeFeeds(db: SystemDb, before: Date, limit: number): Promise<number> {
  const oldest = db('feed')
    .whereRaw('feed.company_id = feed_heads.company_id AND feed.environment = feed_heads.environment')
    .orderBy('position')
    .limit(1)
    .select('created_at')
  const tenants = await db('feed_heads')
    .whereRaw('(?) < ?', [oldest, before])
    .limit(limit)
    .select<FeedOwner[]>('company_id', 'environment')
  let removed = 0
  for (const tenant of tenants) {
    for (let page = limit; page === limit && removed < limit; removed += page) {
      page = await removeOldest(db, tenant, before, limit)
    }
  }
  return removed
}

type FeedOwner = { readonly company_id: string; readonly environment: string }

async function removeOldest(
  db: SystemDb,
  { company_id, environment }: FeedOwner,
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
 * Removes notices that were made before the time and whose cause is older too. The end of a key may be still to come: its
 * notice would be made again. The marks of users go first, because a notice may have one of each user of the company.
 *
 * @param limit of notices, and of marks
 * @returns how many rows of the fuller kind it removed; fewer than the limit means that none is left
 */
export async function purgeNotices(db: SystemDb, before: Date, limit: number): Promise<number> {
  return inTransaction(db, async (trx) => {
    const ids = await trx('notices')
      .where('created_at', '<', before)
      .where('hour', '<', before)
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .pluck<string[]>('id')
    if (ids.length === 0) return 0
    const marks = await trx('notice_marks').whereIn('notice_id', ids).limit(limit).delete()
    if (marks === limit) return limit
    return trx('notices').whereIn('id', ids).delete()
  })
}

/** Removes batches of notices that were made before the time and never accepted. @returns how many it removed */
export const purgeNoticeBatches = (db: SystemDb, createdBefore: Date, limit: number): Promise<number> =>
  db('notice_batches').where('created_at', '<', createdBefore).limit(limit).delete()

/** Removes mails that were queued before the time, whatever became of them. @returns how many it removed */
export const purgeMails = (db: SystemDb, createdBefore: Date, limit: number): Promise<number> =>
  db('mails').where('created_at', '<', createdBefore).limit(limit).delete()

/** Removes pauses of webhooks that ended before the time. @returns how many it removed */
export const purgePauses = (db: SystemDb, endedBefore: Date, limit: number): Promise<number> =>
  db('webhook_pauses').where('ends_at', '<', endedBefore).limit(limit).delete()

/** Removes recoveries that ended before the time. @returns how many it removed */
export const purgeRecoveries = (db: SystemDb, endedBefore: Date, limit: number): Promise<number> =>
  db('recoveries').where('ended_at', '<', endedBefore).limit(limit).delete()

/** Removes answers kept for Idempotency-Key that nobody can ask for any more. @returns how many it removed */
export async function purgeIdempotency(db: SystemDb, createdBefore: Date, limit: number): Promise<number> {
  return db('idempotency').where('created_at', '<', createdBefore).limit(limit).delete()
}

/** Removes counts of limits that have expired. @returns how many it removed */
export const purgeRateLimits = (db: SystemDb, now: Date, limit: number): Promise<number> =>
  db('rate_limits').where('expire', '<', now.getTime()).limit(limit).delete()
