import { isOpen } from '../../domain/delivery/delivery.ts'
import type { StartLease } from '../../domain/delivery/outcome.ts'
import { placeholders, rowsOf, type Run, type Statement } from '../connection/statements.ts'
import { commandRows, FAILED_QUEUE, HANDOVER_QUEUE, IS_ON_ITS_WAY } from '../outbox.ts'
import { inTransaction, type Db } from '../connection/connection.ts'
import type { DeliveryChange, DeliveryRow } from '../delivery/rows.ts'

/* What direct attempts need besides all others: for their record, and to keep workflows from attempting at the same time. */

/**
 * Locks the start rows of direct attempts that failed. Gives the ids of the deliveries for which nobody else can be
 * sending: the lease is still the attempt's, or the row was given back, because the outcome could not be written in
 * time. Another worker has claimed the other rows, or they are gone.
 */
export async function lockLeases(
  run: Run,
  leases: readonly { readonly deliveryId: string; readonly lease: StartLease }[],
): Promise<Set<string>> {
  if (leases.length === 0) return new Set()
  const [found] = await run([
    {
      sql: `SELECT id, version, lease_owner FROM outbox
             WHERE id IN (${placeholders(leases.length)}) ORDER BY id FOR UPDATE`,
      values: leases.map(({ lease }) => lease.rowId),
    },
  ])
  const rows = new Map(rowsOf<LeaseRow>(found).map((row) => [row.id, row]))
  const isOwn = ({ rowId, version, owner }: StartLease) => {
    const row = rows.get(rowId)
    return row?.lease_owner === null || (row?.version === version && row.lease_owner === owner)
  }
  return new Set(leases.filter(({ lease }) => isOwn(lease)).map(({ deliveryId }) => deliveryId))
}

type LeaseRow = { id: number; version: number; lease_owner: string | null }

/**
 * Queues the hand-over of deliveries whose direct attempt failed. A workflow takes over from here on; one that failed
 * for good has a workflow for operators to find.
 */
export function handoversOf(changes: readonly DeliveryChange[]): Statement[] {
  const failed = changes.filter(
    ({ after, attempt }) => attempt?.madeBy === 'worker' && after.status !== 'success',
  )
  if (failed.length === 0) return []
  return [
    commandRows(
      failed.map(({ before, after }) => ({
        kind: 'handover',
        targetId: after.id,
        companyId: before.row.company_id,
        queue: isOpen(after) ? HANDOVER_QUEUE : FAILED_QUEUE,
      })),
    ),
  ]
}

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
