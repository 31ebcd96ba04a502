import { park } from '../../domain/delivery/transitions.ts'
import { databaseNow } from '../clock.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { toDelivery, type DeliveryRow } from './rows.ts'
import { deleteWaiting } from '../outbox/rows.ts'
import { queueToGoOn, WAITING_COLUMNS, type WaitingRow } from '../outbox/going-on.ts'
import { writeChanges } from './outcomes.ts'
import { lockIfParked, lockIfSending } from './parking-locks.ts'

/**
 * Parks an open delivery if its webhook is inactive or its company suspended. It locks the row that says so in share mode.
 * So an activation or resumption comes either later, and finds the parked delivery, or earlier, and nothing is parked.
 *
 * @returns whether it was parked
 */
export async function parkDelivery(db: SystemDb, deliveryId: string, webhookId: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (!(await lockIfParked(trx, webhookId))) return false
    const row = await trx<DeliveryRow>('deliveries')
      .where({ id: deliveryId })
      .whereIn('status', ['pending', 'retrying'])
      .forUpdate()
      .first()
    if (!row) return false
    const now = await databaseNow(trx)
    const delivery = toDelivery(row)
    await writeChanges(trx, [{ before: { row, delivery }, after: park(delivery, now) }], now)
    await deleteWaiting(trx, [deliveryId])
    return true
  })
}

/** How far a walk over the open deliveries of a webhook has come: it goes on after this one. */
export type WalkPosition = Pick<DeliveryRow, 'status' | 'created_at' | 'id'>

/** What became of a page of open deliveries. */
export type UnparkedPage = {
  readonly unparked: number
  /** Parked ones that another transaction locks. They stay parked, for a later walk. */
  readonly lockedElsewhere: number
  /** Where the next page begins; undefined when there is none, or the deliveries stay parked. */
  readonly next: WalkPosition | undefined
}

/**
 * Unparks the parked ones in a page of a webhook's open deliveries. They are due at once, and each is queued in the same
 * transaction. If the webhook is inactive or its company suspended again, it leaves them to the next activation or resumption.
 * The page is read along an index from where the page before it ended. So it costs no more, however many deliveries there are.
 *
 * @param from where the page before this one ended; undefined: at the beginning
 * @param limit open deliveries to read, parked or not
 */
export async function unparkDeliveries(
  db: SystemDb,
  { webhookId, companyId }: { readonly webhookId: string; readonly companyId: string },
  { from, limit }: { readonly from: WalkPosition | undefined; readonly limit: number },
): Promise<UnparkedPage> {
  return inTransaction(db, async (trx) => {
    if (!(await lockIfSending(trx, webhookId, companyId))) {
      return { unparked: 0, lockedElsewhere: 0, next: undefined }
    }
    const page = await readOpenPage(trx, webhookId, from, limit)
    const parked = page.filter(({ is_parked }) => is_parked).map(({ id }) => id)
    const locked = await lockParked(trx, parked)
    if (locked.length > 0) {
      await resumeParked(
        trx,
        locked.map(({ id }) => id),
      )
      await queueToGoOn(trx, locked)
    }
    const next = page.length < limit ? undefined : page.at(-1)
    return { unparked: locked.length, lockedElsewhere: parked.length - locked.length, next }
  })
}

type OpenRow = WalkPosition & { readonly is_parked: number }

/** Reads open deliveries in the order of the index: pending ones, then retrying ones. Locks none. */
async function readOpenPage(
  trx: SystemDb,
  webhookId: string,
  from: WalkPosition | undefined,
  limit: number,
): Promise<OpenRow[]> {
  const rows: OpenRow[] = []
  const statuses = ['pending', 'retrying'] as const
  for (const status of from?.status === 'retrying' ? statuses.slice(1) : statuses) {
    const after = from?.status === status ? from : undefined
    const [found] = (await trx.raw(
      `SELECT id, status, created_at, parked_at IS NOT NULL AS is_parked
         FROM deliveries FORCE INDEX (deliveries_status)
        WHERE webhook_id = ? AND status = ? ${after ? 'AND (created_at > ? OR (created_at = ? AND id > ?))' : ''}
        ORDER BY created_at, id LIMIT ?`,
      [
        ...[webhookId, status],
        ...(after ? [after.created_at, after.created_at, after.id] : []),
        limit - rows.length,
      ],
    )) as [OpenRow[]]
    rows.push(...found)
    if (rows.length === limit) break
  }
  return rows
}

/** Locks those that are still parked, and leaves out those that another transaction locks. */
async function lockParked(trx: SystemDb, ids: readonly string[]): Promise<WaitingRow[]> {
  if (ids.length === 0) return []
  return trx<DeliveryRow>('deliveries')
    .whereIn('id', [...ids])
    .whereIn('status', ['pending', 'retrying'])
    .whereNotNull('parked_at')
    .orderBy('id')
    .select(...WAITING_COLUMNS)
    .forUpdate()
    .skipLocked()
}

/**
 * Does to parked deliveries what `resume` of domain/delivery/transitions.ts says. It is one UPDATE and no upsert of whole
 * rows, because a thousand rows with their response bodies may exceed what the server takes in one statement.
 */
async function resumeParked(trx: SystemDb, ids: readonly string[]): Promise<void> {
  const now = await databaseNow(trx)
  await trx<DeliveryRow>('deliveries')
    .whereIn('id', [...ids])
    .update({
      parked_at: null,
      next_retry_at: trx.raw('IF(next_retry_at IS NULL, NULL, ?)', [now]),
      wake_at: now,
    })
}
