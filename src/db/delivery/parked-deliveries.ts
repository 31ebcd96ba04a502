import { park } from '../../domain/delivery/transitions.ts'
import { databaseNow } from '../clock.ts'
import { isSuspended } from '../companies.ts'
import { isAfter } from '../conditions.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { execute, readRows } from '../connection/statements.ts'
import { toDelivery, type DeliveryRow } from './rows.ts'
import { deleteWaiting } from '../outbox/outbox.ts'
import { queueToGoOn, WAITING_COLUMNS, type WaitingRow } from '../outbox/going-on.ts'
import { writeChanges } from './outcomes.ts'

/*
 * Parking: an open delivery waits while its webhook is inactive or its company suspended. It keeps its status and its
 * schedule.
 *
 * - due: its time has come. The gate of its attempt, or the relay that claims its outbox row, finds that the delivery
 *   must wait.
 * - parked: parkDelivery has set `parked_at` and deleted its outbox rows. Nothing wakes it, and its workflow, if it has
 *   one, waits for a signal. A manual retry is accepted and waits too. The webhook's deletion closes it like every open
 *   delivery.
 * - resumed: an activation queues `resume-webhook`. The resumption of a company queues `resume-company`, and the relay
 *   then queues a `resume-webhook` for each active webhook. For `resume-webhook` the relay walks page by page through
 *   the open deliveries of the webhook (relay/webhook-commands.ts). unparkDeliveries makes the parked ones due at once
 *   and queues each: a first attempt as `start`, everything else as `wake`, for a workflow.
 *
 * Parking locks the row that is the reason for it: the webhook's or the company's. Unparking locks the webhook's row.
 * So a delivery is never parked after a walk has passed it. A walk that met locked rows begins again.
 *
 * A crash of the worker loses nothing, because every state is in rows. The next worker begins the walk again, which
 * does no harm. The reconciler queues deliveries that are still parked although their webhook is active.
 */

/**
 * Parks an open delivery if its webhook is inactive or its company suspended. It locks the webhook's or the company's
 * row in share mode. So an activation or resumption that comes after this transaction finds the parked delivery. If it
 * came before, nothing is parked.
 *
 * @returns whether the delivery was parked
 */
export async function parkDelivery(db: SystemDb, deliveryId: string, webhookId: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (!(await lockIfParked(trx, webhookId))) return false
    const [row] = await readRows<DeliveryRow>(trx)`
      SELECT * FROM deliveries WHERE id = ${deliveryId} AND status IN ('pending', 'retrying') FOR UPDATE`
    if (!row) return false
    const now = await databaseNow(trx)
    const delivery = toDelivery(row)
    await writeChanges(trx, [{ before: { row, delivery }, after: park(delivery, now) }], now)
    await deleteWaiting(trx, [deliveryId])
    return true
  })
}

/** How far a walk over the open deliveries of a webhook has come: the last delivery that it read. */
export type WalkPosition = Pick<DeliveryRow, 'status' | 'created_at' | 'id'>

/** What happened to a page of open deliveries. */
type UnparkedPage = {
  readonly unparked: number
  /** Parked deliveries that another transaction locks. They stay parked until a later walk. */
  readonly lockedElsewhere: number
  /** Where the next page begins; undefined if there is none, or the deliveries stay parked. */
  readonly next: WalkPosition | undefined
}

/**
 * Unparks the parked deliveries in a page of a webhook's open deliveries. They become due at once, and are queued in the
 * same transaction. If the webhook is inactive or its company suspended again, it leaves them to the next activation or
 * resumption. It reads the page along an index, from the end of the page before. So a page costs the same however many
 * deliveries there are.
 *
 * @param from the end of the page before this one; undefined: begin at the start
 * @param limit how many open deliveries to read, parked or not
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

/** Reads open deliveries in the order of the index: first pending, then retrying ones. It locks none. */
async function readOpenPage(
  trx: SystemDb,
  webhookId: string,
  from: WalkPosition | undefined,
  limit: number,
): Promise<OpenRow[]> {
  const rows: OpenRow[] = []
  const statuses = ['pending', 'retrying'] as const
  for (const status of from?.status === 'retrying' ? statuses.slice(1) : statuses) {
    const start = isAfter(
      'created_at',
      from?.status === status ? { at: from.created_at, id: from.id } : undefined,
    )
    const found = await readRows<OpenRow>(trx)`
      SELECT id, status, created_at, parked_at IS NOT NULL AS is_parked
        FROM deliveries FORCE INDEX (deliveries_status)
       WHERE webhook_id = ${webhookId} AND status = ${status} AND ${start}
       ORDER BY created_at, id LIMIT ${limit - rows.length}`
    rows.push(...found)
    if (rows.length === limit) break
  }
  return rows
}

/** Locks the deliveries that are still parked. It skips those that another transaction locks. */
async function lockParked(trx: SystemDb, ids: readonly string[]): Promise<WaitingRow[]> {
  if (ids.length === 0) return []
  return readRows<WaitingRow>(trx)`
    SELECT ${WAITING_COLUMNS} FROM deliveries
     WHERE id IN (${ids}) AND status IN ('pending', 'retrying') AND parked_at IS NOT NULL
     ORDER BY id FOR UPDATE SKIP LOCKED`
}

/**
 * Applies `resume` of domain/delivery/transitions.ts to parked deliveries. It is one UPDATE, and no upsert of whole rows,
 * because a thousand rows with their response bodies may be more than the server takes in one statement.
 */
async function resumeParked(trx: SystemDb, ids: readonly string[]): Promise<void> {
  const now = await databaseNow(trx)
  await execute(trx)`
    UPDATE deliveries
       SET parked_at = NULL, next_retry_at = IF(next_retry_at IS NULL, NULL, ${now}), wake_at = ${now}
     WHERE id IN (${ids})`
}

/*
 * The functions below lock the row that tells whether deliveries must wait. So the activation of the webhook and the
 * resumption of the company either wait for the caller's transaction, or took place before it.
 */

/**
 * True if the deliveries of a webhook are to be parked: the webhook is inactive, or its company is suspended. Then the
 * row that says so is locked in share mode. The company's row is locked only if the company is the reason, because
 * large publishes and new webhooks lock that row too.
 */
async function lockIfParked(trx: SystemDb, webhookId: string): Promise<boolean> {
  return (await lockWebhookIf(trx, webhookId, { isActive: false })) || (await lockIfSuspended(trx, webhookId))
}

/**
 * True if the deliveries of a webhook may be sent. Then the webhook is locked in share mode. The company is not locked.
 * If it is suspended after this read, the gate parks its deliveries again.
 */
async function lockIfSending(trx: SystemDb, webhookId: string, companyId: string): Promise<boolean> {
  return (await lockWebhookIf(trx, webhookId, { isActive: true })) && !(await isSuspended(trx, companyId))
}

/** Locks the webhook in share mode. @returns whether the webhook exists and has the state that `isActive` asks for */
async function lockWebhookIf(
  trx: SystemDb,
  id: string,
  { isActive }: { isActive: boolean },
): Promise<boolean> {
  const webhooks = await readRows(trx)`
    SELECT id FROM webhooks WHERE id = ${id} AND is_active = ${isActive ? 1 : 0} AND deleted_at IS NULL
      LOCK IN SHARE MODE`
  return webhooks.length > 0
}

/** Locks the company of a webhook in share mode. @returns whether the webhook exists and the company is suspended */
async function lockIfSuspended(trx: SystemDb, webhookId: string): Promise<boolean> {
  const companies = await readRows(trx)`
    SELECT c.id FROM webhooks w STRAIGHT_JOIN companies c ON c.id = w.company_id
     WHERE w.id = ${webhookId} AND w.deleted_at IS NULL AND c.suspended_at IS NOT NULL LOCK IN SHARE MODE`
  return companies.length > 0
}
