import { inTransaction, type Db } from '../connection/connection.ts'
import type { DeliveryRow } from '../delivery/rows.ts'
import { IS_ON_ITS_WAY } from '../outbox.ts'

/**
 * Leaves a delivery to its workflow: no worker begins an attempt of its own from this commit on. The lock on the delivery
 * orders this against a claim, which decides by the same column under the same lock.
 *
 * @returns false while a worker makes an attempt itself: its record, or the end of its lease, decides what is next
 */
export async function keepForWorkflow(db: Db, deliveryId: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const delivery = trx<DeliveryRow>('deliveries').where({ id: deliveryId })
    await delivery.clone().forUpdate().select('id')
    const onItsWay = await trx('outbox')
      .where({ kind: 'start', subject_id: deliveryId })
      .whereRaw(IS_ON_ITS_WAY)
      .first<object | undefined>('id')
    if (onItsWay) return false
    await delivery.clone().update({ in_temporal: 1 })
    return true
  })
}
