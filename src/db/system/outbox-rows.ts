import { fromNow } from '../clock.js'
import type { Db } from '../connection/connection.js'
import type { ClaimedRow } from './claims.js'

/** Gives a row back after a definite error, to be claimed again after the back-off. */
export async function releaseRow(db: Db, row: ClaimedRow, owner: string, backoffMs: number): Promise<void> {
  await held(db, row, owner).update({
    lease_owner: null,
    tries: row.tries + 1,
    available_at: fromNow(db, backoffMs),
  })
}

/** Removes a command whose work is done, unless it was asked for again meanwhile. */
export async function deleteCommand(db: Db, row: ClaimedRow, owner: string): Promise<void> {
  await held(db, row, owner).delete()
}

/** Gives a row back whose work goes on: it may be claimed after the pause, behind what waits before it then. */
export async function putBackRow(db: Db, row: ClaimedRow, owner: string, pauseMs = 0): Promise<void> {
  await held(db, row, owner).update({ lease_owner: null, available_at: fromNow(db, pauseMs) })
}

/** Removes the start rows of deliveries that need no start any more. */
export async function deleteStarts(db: Db, deliveryIds: readonly string[]): Promise<void> {
  await db('outbox')
    .where({ kind: 'start' })
    .whereIn('subject_id', [...deliveryIds])
    .delete()
}

/** Removes the rows by which deliveries wait for an attempt that is not to be made. */
export async function deleteWaiting(db: Db, deliveryIds: readonly string[]): Promise<void> {
  await db('outbox')
    .whereIn('kind', ['start', 'due'])
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
