import { isOpen } from '../../domain/delivery/delivery.ts'
import type { StartLease } from '../../domain/delivery/outcome.ts'
import { placeholders, rowsOf, type Run, type Statement } from '../connection/statements.ts'
import { commandRows, FAILED_QUEUE, HANDOVER_QUEUE } from '../outbox.ts'
import type { DeliveryChange } from './outcomes.ts'

/* What the record of a direct attempt needs besides that of every attempt. */

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
