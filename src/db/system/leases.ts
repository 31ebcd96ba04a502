import { fromNow } from '../clock.js'
import type { Db } from '../connection.js'
import type { ClaimedRow } from './claims.js'

/** Gives a row back after a definite error, to be claimed again after the back-off. */
export async function releaseRow(db: Db, row: ClaimedRow, owner: string, backoffMs: number): Promise<void> {
  await held(db, row, owner).update({
    lease_owner: null,
    tries: row.tries + 1,
    available_at: fromNow(db, backoffMs),
  })
}

/** Prolongs the lease of a row on which work goes on. Gives whether it is still ours and still asks for the same. */
export async function renewRow(db: Db, row: ClaimedRow, owner: string, leaseMs: number): Promise<boolean> {
  const renewed = await held(db, row, owner).update({ available_at: fromNow(db, leaseMs) })
  return renewed === 1
}

/** Removes a command whose work is done, unless it was asked for again meanwhile. */
export async function deleteCommand(db: Db, row: ClaimedRow, owner: string): Promise<void> {
  await held(db, row, owner).delete()
}

/** Removes the start rows of deliveries that need no start any more. */
export async function deleteStarts(db: Db, deliveryIds: readonly string[]): Promise<void> {
  await db('outbox')
    .where({ kind: 'start' })
    .whereIn('subject_id', [...deliveryIds])
    .delete()
}

/** Moves the lease of a delivery's start row on: its attempt is about to begin. */
export async function renewStart(db: Db, deliveryId: string, leaseMs: number): Promise<void> {
  await db('outbox')
    .where({ kind: 'start', subject_id: deliveryId })
    .update({ available_at: fromNow(db, leaseMs) })
}

/** The row while it is ours and asks for what it asked when we claimed it. */
const held = (db: Db, { id, version }: ClaimedRow, owner: string) =>
  db('outbox').where({ id, version, lease_owner: owner })
