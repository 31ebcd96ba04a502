import { addToCounters } from '../counters.js'
import { inTransaction, type Db } from '../connection.js'

type ClosedRow = {
  id: string
  company_id: string
  environment: string
  webhook_id: string
  event_id: string
  status: string
}

/**
 * Removes deliveries that were closed before the time, with their attempts, oldest first. The lists' totals go down
 * with them, the figures of the webhooks do not, and each event learns how many of its deliveries are left.
 *
 * @returns how many went; fewer than the limit means that none is left
 */
export async function purgeDeliveries(db: Db, closedBefore: Date, limit: number): Promise<number> {
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
    await trx('attempts').whereIn('delivery_id', ids).delete()
    await trx('deliveries').whereIn('id', ids).delete()
    await countDown(trx, rows)
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

/** Takes the removed deliveries off their events, in key order. */
async function countDown(trx: Db, rows: readonly ClosedRow[]): Promise<void> {
  const counts = new Map<string, { row: ClosedRow; count: number }>()
  for (const row of rows) {
    const key = `${row.company_id} ${row.environment} ${row.event_id}`
    counts.set(key, { row, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  const inKeyOrder = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [, { row, count }] of inKeyOrder) {
    await trx('events')
      .where({ company_id: row.company_id, environment: row.environment, id: row.event_id })
      .decrement('remaining', count)
  }
}

/** Where a walk over old events stands. */
export type EventCursor = { readonly createdAt: Date; readonly id: string }

type EventKey = { company_id: string; environment: string; id: string; created_at: Date; remaining: number }

/**
 * Removes, of the next events that were created before the time, those that no delivery refers to.
 *
 * @returns where to go on, or undefined at the end
 */
export async function purgeEvents(
  db: Db,
  createdBefore: Date,
  limit: number,
  cursor: EventCursor | undefined,
): Promise<EventCursor | undefined> {
  const query = db('events').where('created_at', '<', createdBefore)
  if (cursor) {
    void query.where((later) => {
      void later
        .where('created_at', '>', cursor.createdAt)
        .orWhere((same) => void same.where({ created_at: cursor.createdAt }).where('id', '>', cursor.id))
    })
  }
  const rows: EventKey[] = await query
    .orderBy(['created_at', 'id'])
    .limit(limit)
    .select('company_id', 'environment', 'id', 'created_at', 'remaining')
  const unused = rows.filter(({ remaining }) => remaining <= 0)
  if (unused.length > 0) {
    await db('events')
      .whereIn(
        ['company_id', 'environment', 'id'],
        unused.map(({ company_id, environment, id }) => [company_id, environment, id]),
      )
      .where('remaining', '<=', 0)
      .delete()
  }
  const last = rows.at(-1)
  return last && rows.length === limit ? { createdAt: last.created_at, id: last.id } : undefined
}

/** Removes answers kept for Idempotency-Key that nobody can ask for any more. @returns how many went */
export async function purgeIdempotency(db: Db, createdBefore: Date, limit: number): Promise<number> {
  return db('idempotency').where('created_at', '<', createdBefore).limit(limit).delete()
}
