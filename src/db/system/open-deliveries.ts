import { isOpen, type ClosedReason, type Delivery } from '../../domain/delivery/delivery.js'
import { close, park, resume } from '../../domain/delivery/transitions.js'
import { databaseNow } from '../clock.js'
import { inTransaction, type Db } from '../connection/connection.js'
import { runIn } from '../connection/statements.js'
import { toDelivery, type DeliveryRow } from '../delivery/rows.js'
import { enqueueCommands, goOn, IS_ON_ITS_WAY } from '../outbox.js'
import { deleteWaiting } from './outbox-rows.js'
import { lockDeliveries, writeChanges, writeOutcomes, type DeliveryChange } from './outcomes.js'

/** How many deliveries were closed, and how many left out because another transaction locks them. */
type Closing = { readonly closed: number; readonly held: number }

/**
 * Closes the open ones of the deliveries as `failed`, and removes the outbox rows with which they wait. Deliveries that
 * another transaction locks stay as they are.
 */
export async function closeDeliveries(
  db: Db,
  ids: readonly string[],
  reason: ClosedReason,
): Promise<Closing> {
  return inTransaction(db, async (trx) => {
    const { locked, held, now } = await lockDeliveries(runIn(trx), ids)
    const open = [...locked.values()].filter(({ delivery }) => isOpen(delivery))
    const changes = open.map((before) => ({ before, after: close(before.delivery, reason) }))
    await writeOutcomes(runIn(trx), changes, now)
    await deleteWaiting(
      trx,
      ids.filter((id) => !held.has(id)),
    )
    return { closed: open.length, held: held.size }
  })
}

/**
 * Parks an open delivery while its webhook is inactive. The share lock on the webhook orders this against an activation.
 * Either the activation sees the parked row, or this sees the active webhook and does not park.
 *
 * @returns whether it was parked
 */
export async function parkDelivery(db: Db, deliveryId: string, webhookId: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (!(await holdWebhook(trx, webhookId, { isActive: false }))) return false
    const row = await trx<DeliveryRow>('deliveries')
      .where({ id: deliveryId })
      .whereIn('status', ['pending', 'retrying'])
      .forUpdate()
      .first()
    if (!row) return false
    const now = await databaseNow(trx)
    await writeChanges(trx, [changeOf(row, (delivery) => park(delivery, now))], now)
    await deleteWaiting(trx, [deliveryId])
    return true
  })
}

/** Some open deliveries of a webhook. */
export type OpenPage = {
  /** Those that may be closed now. */
  readonly ids: readonly string[]
  /** Whether a worker is making the first attempt of others: they are closed once it is recorded. */
  readonly isSending: boolean
}

/** Some open deliveries of a webhook, in no particular order: closing them makes room for the next page. */
export async function listOpenDeliveries(db: Db, webhookId: string, limit: number): Promise<OpenPage> {
  const page = db<DeliveryRow>('deliveries')
    .where({ webhook_id: webhookId })
    .whereIn('status', ['pending', 'retrying'])
    .limit(limit)
    .select('id')
  const rows = await db
    .from(page.as('page'))
    .joinRaw(`LEFT JOIN outbox o ON o.kind = 'start' AND o.subject_id = page.id AND ${IS_ON_ITS_WAY}`)
    .select<{ id: string; start_id: number | null }[]>('page.id', 'o.id as start_id')
  const isClosable = ({ start_id }: { start_id: number | null }) => start_id === null
  return { ids: rows.filter(isClosable).map(({ id }) => id), isSending: !rows.every(isClosable) }
}

/**
 * Unparks a page of the parked deliveries of an active webhook. They are due at once, and each is queued in the same
 * transaction. Deliveries that another transaction locks are left for a later page.
 *
 * @returns how many it unparked, and whether some are left
 */
export async function unparkDeliveries(
  db: Db,
  webhookId: string,
  companyId: string,
  limit: number,
): Promise<{ unparked: number; isMore: boolean }> {
  return inTransaction(db, async (trx) => {
    if (!(await holdWebhook(trx, webhookId, { isActive: true }))) return { unparked: 0, isMore: false }
    const parked = () =>
      trx<DeliveryRow>('deliveries')
        .where({ webhook_id: webhookId })
        .whereIn('status', ['pending', 'retrying'])
        .whereNotNull('parked_at')
    const rows = await parked().limit(limit).forUpdate().skipLocked()
    if (rows.length > 0) {
      const now = await databaseNow(trx)
      const changes = rows.map((row) => changeOf(row, (delivery) => resume(delivery, now)))
      await writeChanges(trx, changes, now)
      await enqueueCommands(trx, { companyId }, rows.map(goOn))
    }
    return { unparked: rows.length, isMore: (await parked().first('id')) !== undefined }
  })
}

function changeOf(row: DeliveryRow, move: (delivery: Delivery) => Delivery): DeliveryChange {
  const delivery = toDelivery(row)
  return { before: { row, delivery }, after: move(delivery) }
}

/** Locks the webhook in share mode. @returns whether it is there and active, or inactive, as the caller needs it */
async function holdWebhook(trx: Db, id: string, { isActive }: { isActive: boolean }): Promise<boolean> {
  const [webhooks] = (await trx.raw(
    'SELECT id FROM webhooks WHERE id = ? AND is_active = ? AND deleted_at IS NULL LOCK IN SHARE MODE',
    [id, isActive],
  )) as [unknown[]]
  return webhooks.length > 0
}
