import { isOpen } from '../../domain/delivery/delivery.ts'
import type { StartLease } from '../../domain/delivery/outcome.ts'
import { afterNow } from '../clock.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import {
  execute,
  keyTable,
  readRows,
  rowsOf,
  sql,
  type Run,
  type Statement,
} from '../connection/statements.ts'
import type { DeliveryChange } from '../delivery/rows.ts'
import { commandRows, IS_ON_ITS_WAY, type NewCommand } from './outbox.ts'
import { FAILED_QUEUE, HANDOVER_QUEUE, directRetryQueue } from './queues.ts'

/* The start rows of direct attempts, after their claim. src/relay/direct/attempts.ts explains their states. */

/**
 * Renews the lease of a direct attempt that is about to send. The lease then ends `leaseMs` from now.
 *
 * @returns false if the attempt has lost its lease: the lease ended, and another worker claimed the row
 */
export async function renewOwnStart(
  db: SystemDb,
  { rowId, version, owner }: StartLease,
  leaseMs: number,
): Promise<boolean> {
  const renewed = await execute(db)`
    UPDATE outbox SET available_at = ${afterNow(leaseMs)}
     WHERE id = ${rowId} AND version = ${version} AND lease_owner = ${owner}`
  return renewed > 0
}

/**
 * Reserves a delivery for its workflow: after this commit no direct attempt begins. Like a claim, it locks the
 * delivery, so that either the claim or the reservation comes first.
 *
 * @returns false while a direct attempt is under way
 */
export async function reserveForWorkflow(db: SystemDb, deliveryId: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    await readRows(trx)`SELECT id FROM deliveries WHERE id = ${deliveryId} FOR UPDATE`
    const onItsWay = await readRows(trx)`
      SELECT id FROM outbox WHERE kind = 'start' AND subject_id = ${deliveryId} AND ${IS_ON_ITS_WAY}`
    if (onItsWay.length > 0) return false
    await execute(trx)`UPDATE deliveries SET in_temporal = 1 WHERE id = ${deliveryId}`
    return true
  })
}

/**
 * Locks the start rows of failed direct attempts. Returns the ids of the deliveries that nobody else can be sending.
 * Their attempt still has its lease, or it gave the row back, because the outcome could not be written in time. For the
 * other deliveries, the row is gone or another worker has claimed it.
 */
export async function lockLeases(
  runAll: Run<SystemDb>,
  leases: readonly { readonly deliveryId: string; readonly lease: StartLease }[],
): Promise<Set<string>> {
  if (leases.length === 0) return new Set()
  const [found] = await runAll([
    sql`
      SELECT o.id, o.version, o.lease_owner FROM ${keyTable(leases.map(({ deliveryId }) => deliveryId))} wanted
        STRAIGHT_JOIN outbox o FORCE INDEX (outbox_subject) ON o.kind = 'start' AND o.subject_id = wanted.value
          FOR UPDATE`,
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
 * Queues a row for what follows a failed direct attempt. If the retry is direct too, it is a `start` row that is due at
 * the time of the retry. Otherwise it is a `handover` row. The `start` row of the failed attempt was deleted before. So
 * a worker that stalled in that attempt finds neither the row nor its lease, and sends nothing.
 */
export function nextStepsOf(changes: readonly DeliveryChange[]): Statement[] {
  const failed = changes.filter(
    ({ after, attempt }) => attempt?.madeBy === 'worker' && after.status !== 'success',
  )
  if (failed.length === 0) return []
  return [
    commandRows(
      failed.map((change) => ({
        ...nextStep(change),
        targetId: change.after.id,
        companyId: change.before.row.company_id,
      })),
    ),
  ]
}

function nextStep({ after, directUntil }: DeliveryChange): Omit<NewCommand, 'targetId'> {
  if (after.isInTemporal) return { kind: 'handover', queue: isOpen(after) ? HANDOVER_QUEUE : FAILED_QUEUE }
  return {
    kind: 'start',
    queue: directRetryQueue(after.webhookId),
    ...(after.nextRetryAt && { since: after.nextRetryAt }),
    ...(directUntil && { argument: directUntil.getTime() }),
  }
}
