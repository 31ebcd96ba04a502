import { isOpen } from '../../domain/delivery/delivery.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { toDelivery, type DeliveryRow } from '../delivery/rows.ts'
import { enqueueCommands } from './outbox.ts'
import { dueQueue } from './queues.ts'

/*
 * Each delivery that waits for a slot has one `due` row. When slots become free, the relay claims due rows and wakes
 * their workflows, in the order in which the deliveries became due. No timer looks for free slots, because with
 * thousands of retries such a timer took the worker's time.
 *
 * No wake-up is lost. A workflow waits only after it has read a `due` row that no worker has claimed, and the relay
 * claims the row before it wakes the workflow. So the wake-up comes after every read that told the workflow to wait.
 * The recorder does not delete a `due` row, because another worker may have taken over the attempt while the workflow
 * still waits for the wake-up of this row.
 */

/**
 * Puts a due delivery into its webhook's queue, where it waits for a free slot. The queue is sorted by the time at
 * which deliveries became due, so a delivery that comes back keeps its place. The `due` row replaces the `start` row.
 * The delivery is locked, because another transaction may be closing it and removing its rows.
 *
 * @returns false, and queues nothing, if the delivery is no longer open
 */
export async function queueDue(db: SystemDb, deliveryId: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const row = await trx<DeliveryRow>('deliveries').where({ id: deliveryId }).forUpdate().first()
    const delivery = row && toDelivery(row)
    if (!delivery || !isOpen(delivery)) return false
    await trx('outbox').where({ kind: 'start', subject_id: deliveryId }).delete()
    await enqueueCommands(trx, { companyId: row.company_id }, [
      {
        kind: 'due',
        targetId: deliveryId,
        queue: dueQueue(row.webhook_id),
        since: delivery.nextRetryAt ?? delivery.createdAt,
      },
    ])
    return true
  })
}

/**
 * Whether a delivery waits in the queue. Once its row is claimed it no longer waits, because the relay is about to wake the
 * workflow. The workflow must then make its attempt, and not wait again.
 */
export async function isWaitingForSlot(db: SystemDb, deliveryId: string): Promise<boolean> {
  const rows = await db('outbox')
    .where({ kind: 'due', subject_id: deliveryId })
    .whereNull('lease_owner')
    .select('id')
  return rows.length > 0
}
