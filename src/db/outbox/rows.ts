import { fromNow } from '../clock.ts'
import type { SystemDb } from '../connection/connection.ts'
import { placeholders, run, type Statement } from '../connection/statements.ts'
import type { ClaimedRow } from './claim-statements.ts'

/** Gives a row back that could not be carried out now, to be claimed again after the back-off. */
export async function releaseRow(
  db: SystemDb,
  row: ClaimedRow,
  owner: string,
  backoffMs: number,
): Promise<void> {
  await claimed(db, row, owner).update({
    lease_owner: null,
    tries: row.tries + 1,
    available_at: fromNow(db, backoffMs),
  })
}

/** Removes a command whose work is done, unless it was queued again meanwhile. */
export async function deleteCommand(db: SystemDb, row: ClaimedRow, owner: string): Promise<void> {
  await claimed(db, row, owner).delete()
}

/**
 * Gives a row back whose work is not finished, and does not count the claim. After the pause it may be claimed, behind
 * rows that waited before.
 */
export async function putBackRow(db: SystemDb, row: ClaimedRow, owner: string, pauseMs = 0): Promise<void> {
  await claimed(db, row, owner).update({
    lease_owner: null,
    tries: row.tries,
    available_at: fromNow(db, pauseMs),
  })
}

/** Removes the start rows of deliveries that need no start any more. */
export async function deleteStarts(db: SystemDb, deliveryIds: readonly string[]): Promise<void> {
  await run(db, startsOf(deliveryIds))
}

/** The statement of deleteStarts. */
export const startsOf = (deliveryIds: readonly string[]): Statement => ({
  sql: `DELETE FROM outbox WHERE kind = 'start' AND subject_id IN (${placeholders(deliveryIds.length)})`,
  values: deliveryIds,
})

/** Removes the rows with which deliveries wait for an attempt, because none is to be made. */
export async function deleteWaiting(db: SystemDb, deliveryIds: readonly string[]): Promise<void> {
  await db('outbox')
    .whereIn('kind', ['start', 'due'])
    .whereIn('subject_id', [...deliveryIds])
    .delete()
}

/** Gives back rows whose first attempts were not made, or not to their end. They may be claimed after the pause. */
export async function releaseStarts(
  db: SystemDb,
  ids: readonly number[],
  owner: string,
  pauseMs = 0,
): Promise<void> {
  await db('outbox')
    .whereIn('id', [...ids])
    .andWhere({ lease_owner: owner })
    .update({ lease_owner: null, available_at: fromNow(db, pauseMs) })
}

/** Extends the lease of a delivery's start row, because an attempt is about to begin. */
export async function renewStart(db: SystemDb, deliveryId: string, leaseMs: number): Promise<void> {
  await db('outbox')
    .where({ kind: 'start', subject_id: deliveryId })
    .update({ available_at: fromNow(db, leaseMs) })
}

/** The row, unless another worker has claimed it or its command was queued again since our claim. */
const claimed = (db: SystemDb, { id, version }: ClaimedRow, owner: string) =>
  db('outbox').where({ id, version, lease_owner: owner })
