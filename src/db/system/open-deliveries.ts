import type { ClosedReason, Delivery } from '../../domain/deliveries.js'
import { isOpen } from '../../domain/deliveries.js'
import { inTransaction, type Db } from '../connection.js'
import type { DeliveryRow } from '../delivery-rows.js'
import { enqueueCommands } from '../outbox.js'
import { deleteStarts } from './leases.js'
import { lockDeliveries, writeOutcomes } from './outcomes.js'

/** Closes the open ones of the deliveries as `failed`. Gives the ids that were open. */
export async function closeDeliveries(
  db: Db,
  ids: readonly string[],
  reason: ClosedReason,
): Promise<string[]> {
  return inTransaction(db, async (trx) => {
    const { locked, now } = await lockDeliveries(trx, ids)
    const open = [...locked.values()].filter(({ delivery }) => isOpen(delivery))
    const outcomes = open.map((before) => ({ before, after: closed(before.delivery, reason) }))
    await writeOutcomes(trx, outcomes, now)
    await deleteStarts(trx, ids)
    return open.map(({ delivery }) => delivery.id)
  })
}

const closed = (delivery: Delivery, reason: ClosedReason): Delivery => ({
  ...delivery,
  status: 'failed',
  closedReason: reason,
  nextRetryAt: null,
  parkedAt: null,
  retryServed: delivery.retrySeq,
})

/**
 * Parks an open delivery while its webhook is inactive. The share lock on the webhook orders this against an
 * activation: either the activation sees the parked row, or this sees the active webhook and does not park.
 *
 * @returns whether it was parked
 */
export async function parkDelivery(db: Db, deliveryId: string, webhookId: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const [webhooks] = (await trx.raw(
      'SELECT id FROM webhooks WHERE id = ? AND is_active = 0 AND deleted_at IS NULL LOCK IN SHARE MODE',
      [webhookId],
    )) as [unknown[]]
    if (webhooks.length === 0) return false
    const parked = await trx<DeliveryRow>('deliveries')
      .where({ id: deliveryId })
      .whereIn('status', ['pending', 'retrying'])
      .update({ parked_at: trx.raw('NOW(3)'), wake_at: null })
    if (parked === 1) await deleteStarts(trx, [deliveryId])
    return parked === 1
  })
}

/** Some open deliveries of a webhook, in no particular order: closing them makes room for the next page. */
export async function listOpenDeliveryIds(db: Db, webhookId: string, limit: number): Promise<string[]> {
  const rows = await db<DeliveryRow>('deliveries')
    .where({ webhook_id: webhookId })
    .whereIn('status', ['pending', 'retrying'])
    .limit(limit)
    .select('id')
  return rows.map(({ id }) => id)
}

/**
 * Takes a page of parked deliveries of an active webhook out of the park: they are due at once, and a `wake` is queued
 * for each in the same transaction.
 *
 * @returns how many there were
 */
export async function unparkDeliveries(
  db: Db,
  webhookId: string,
  companyId: string,
  limit: number,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const [webhooks] = (await trx.raw(
      'SELECT id FROM webhooks WHERE id = ? AND is_active = 1 AND deleted_at IS NULL LOCK IN SHARE MODE',
      [webhookId],
    )) as [unknown[]]
    if (webhooks.length === 0) return 0
    const rows = await trx<DeliveryRow>('deliveries')
      .where({ webhook_id: webhookId })
      .whereIn('status', ['pending', 'retrying'])
      .whereNotNull('parked_at')
      .limit(limit)
      .forUpdate()
      .select('id')
    if (rows.length === 0) return 0
    const ids = rows.map(({ id }) => id)
    await trx('deliveries')
      .whereIn('id', ids)
      .update({
        parked_at: null,
        wake_at: trx.raw('NOW(3)'),
        next_retry_at: trx.raw('LEAST(next_retry_at, NOW(3))'),
      })
    await enqueueWakes(trx, companyId, webhookId, ids)
    return ids.length
  })
}

/** Queues a `wake` for each delivery. */
async function enqueueWakes(
  trx: Db,
  companyId: string,
  webhookId: string,
  ids: readonly string[],
): Promise<void> {
  await enqueueCommands(
    trx,
    { companyId },
    ids.map((id) => ({ kind: 'wake', subjectId: id, lane: webhookId })),
  )
}

/**
 * Queues a `wake` for open deliveries that nothing else will wake: long overdue, or parked under an active webhook, and
 * without a row in the outbox. It repairs what a lost Temporal store or a workflow ended by hand left behind.
 *
 * @param afterMs how long overdue
 * @returns how many were queued; fewer than `limit` means that there are no more
 */
export async function wakeForgottenDeliveries(db: Db, afterMs: number, limit: number): Promise<number> {
  const longAgo = db.raw('NOW(3) - INTERVAL ? MICROSECOND', [Math.round(afterMs * 1000)])
  const forgotten = await db('deliveries as d')
    .join('webhooks as w', 'w.id', 'd.webhook_id')
    .leftJoin('outbox as o', (join) => join.on('o.subject_id', 'd.id').andOnIn('o.kind', DELIVERY_COMMANDS))
    .whereNull('o.id')
    .andWhere((either) =>
      either
        .where('d.wake_at', '<', longAgo)
        .orWhere((parked) => parked.where('d.parked_at', '<', longAgo).andWhere('w.is_active', true)),
    )
    .limit(limit)
    .select<{ id: string; company_id: string; webhook_id: string }[]>('d.id', 'd.company_id', 'd.webhook_id')
  await inTransaction(db, async (trx) => {
    for (const { id, company_id, webhook_id } of forgotten) {
      await enqueueWakes(trx, company_id, webhook_id, [id])
    }
  })
  return forgotten.length
}

const DELIVERY_COMMANDS = ['start', 'wake', 'retry']
