import { afterNow } from '../clock.ts'
import type { SystemDb } from '../connection/connection.ts'
import { execute, keyTable, run, sql, type Statement } from '../connection/statements.ts'
import type { ClaimedRow } from './claims.ts'
import type { OutboxKind } from './outbox.ts'

/** Releases a claimed row whose work failed, and counts the try. It may be claimed again after the back-off. */
export const releaseRow = (db: SystemDb, row: ClaimedRow, owner: string, backoffMs: number): Promise<void> =>
  giveBack(db, row, owner, { tries: row.tries + 1, pauseMs: backoffMs })

/**
 * Releases a claimed row whose work is not finished. The try does not count. After the pause the row may be claimed again,
 * once the rows that waited before it had their turn.
 */
export const putBackRow = (db: SystemDb, row: ClaimedRow, owner: string, pauseMs = 0): Promise<void> =>
  giveBack(db, row, owner, { tries: row.tries, pauseMs })

async function giveBack(
  db: SystemDb,
  row: ClaimedRow,
  owner: string,
  { tries, pauseMs }: { readonly tries: number; readonly pauseMs: number },
): Promise<void> {
  await execute(db)`
    UPDATE outbox SET lease_owner = NULL, tries = ${tries}, available_at = ${afterNow(pauseMs)}
     WHERE ${isClaimed(row, owner)}`
}

/** Removes a command whose work is done, unless it was queued again since. */
export async function deleteCommand(db: SystemDb, row: ClaimedRow, owner: string): Promise<void> {
  await execute(db)`DELETE FROM outbox WHERE ${isClaimed(row, owner)}`
}

/** Whether this worker still holds the row: no other worker has claimed it, and its command was not queued again. */
const isClaimed = ({ id, version }: ClaimedRow, owner: string): Statement =>
  sql`id = ${id} AND version = ${version} AND lease_owner = ${owner}`

/** Removes the start rows of deliveries that no longer need one. */
export async function deleteStarts(db: SystemDb, deliveryIds: readonly string[]): Promise<void> {
  await run(db, removalOfStarts(deliveryIds))
}

/** The statement of deleteStarts; at least one delivery. */
export const removalOfStarts = (deliveryIds: readonly string[]): Statement =>
  removalOf(['start'], deliveryIds)

/** Removes the `start` and `due` rows of deliveries that get no further attempt. */
export async function deleteWaiting(db: SystemDb, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length > 0) await run(db, removalOf(['start', 'due'], deliveryIds))
}

/** Removes rows by their keys, so that it waits for no row of another delivery. */
const removalOf = (kinds: readonly OutboxKind[], deliveryIds: readonly string[]): Statement => sql`
  DELETE o FROM ${keyTable(kinds)} kinds STRAIGHT_JOIN ${keyTable(deliveryIds)} wanted
    STRAIGHT_JOIN outbox o FORCE INDEX (outbox_subject) ON o.kind = kinds.value AND o.subject_id = wanted.value`

/** Releases claimed `start` rows whose attempt was not made, or not finished. They may be claimed again after the pause. */
export async function releaseStarts(
  db: SystemDb,
  ids: readonly number[],
  owner: string,
  pauseMs = 0,
): Promise<void> {
  await execute(db)`
    UPDATE outbox SET lease_owner = NULL, available_at = ${afterNow(pauseMs)}
     WHERE id IN (${ids}) AND lease_owner = ${owner}`
}

/** Extends the lease of a delivery's start row, because an attempt is about to begin. */
export async function renewStart(db: SystemDb, deliveryId: string, leaseMs: number): Promise<void> {
  await execute(db)`
    UPDATE outbox SET available_at = ${afterNow(leaseMs)} WHERE kind = 'start' AND subject_id = ${deliveryId}`
}
