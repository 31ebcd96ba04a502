import type { SystemDb } from '../connection/connection.ts'
import { isTest } from '../../domain/delivery/delivery.ts'
import { reopen } from '../../domain/delivery/transitions.ts'
import { insertStatement, run, runIn } from '../connection/statements.ts'
import type { RecoveryRow } from './rows.ts'
import type { RecoveryCursor } from './work.ts'
import { addToCounters } from '../webhook/counters.ts'
import { lockDeliveries } from '../delivery/locked-deliveries.ts'
import { writeChanges } from '../delivery/outcomes.ts'
import type { DeliveryChange } from '../delivery/rows.ts'
import type { Candidate } from './candidates.ts'
import { queueToGoOn } from '../outbox/going-on.ts'

type Taking = { readonly room: number; readonly maxRetries: number; readonly now: Date }

/**
 * Queues a page in the transaction that locks its webhook and its recovery, and moves the cursor.
 *
 * @returns whether the cursor has passed the whole page, and how many deliveries were queued
 */
export type Take = (
  trx: SystemDb,
  row: RecoveryRow,
  taking: Taking,
) => Promise<{ readonly isWhole: boolean; readonly queued: number }>

/** Moves the cursor, and notes the deliveries that were queued on the way there. */
export async function noteTaken(
  trx: SystemDb,
  recoveryId: string,
  cursor: NonNullable<RecoveryCursor>,
  deliveries: readonly { readonly id: string; readonly attempts: number }[],
): Promise<void> {
  if (deliveries.length > 0) {
    const rows = deliveries.map(({ id, attempts }) => [recoveryId, id, attempts])
    const into = 'recovery_deliveries (recovery_id, delivery_id, attempts_before)'
    await run(trx, insertStatement(into, '(?, ?, ?)', rows))
  }
  await run(trx, {
    sql: 'UPDATE recoveries SET cursor_at = ?, cursor_id = ?, queued = queued + ? WHERE id = ?',
    values: [cursor.at, cursor.id, deliveries.length, recoveryId],
  })
}

/** A failed delivery that is to be opened again. `hasNoRun`: no workflow of it runs, nor can any start. */
export type CheckedCandidate = Candidate & { readonly hasNoRun: boolean }

/**
 * Opens as many candidates again as there is room for, in their order. It stops before one that another transaction locks,
 * and the next page begins with that one. It passes over those that are no longer failed.
 */
export const takeFailed =
  (candidates: readonly CheckedCandidate[]): Take =>
  async (trx, row, { room, maxRetries, now }) => {
    const wanted = candidates.slice(0, room)
    if (wanted.length === 0) return { isWhole: candidates.length === 0, queued: 0 }
    const { locked, lockedElsewhere } = await lockDeliveries(
      runIn(trx),
      wanted.map(({ id }) => id),
    )
    const firstLocked = wanted.findIndex(({ id }) => lockedElsewhere.has(id))
    const handled = firstLocked === -1 ? wanted : wanted.slice(0, firstLocked)
    const changes = handled.flatMap((candidate): DeliveryChange[] => {
      const before = locked.get(candidate.id)
      if (before?.delivery.status !== 'failed' || isTest(before.delivery)) return []
      const { attempts, retrySeq } = before.delivery
      const isUnchanged = attempts === candidate.attempts && retrySeq === candidate.retrySeq
      const hasNoRun = candidate.hasNoRun && isUnchanged
      return [{ before, after: reopen(before.delivery, { maxRetries, hasNoRun, now }) }]
    })
    await writeReopened(trx, row, changes, now)
    const last = handled.at(-1)
    const taken = changes.map(({ after }) => after)
    if (last) await noteTaken(trx, row.id, { at: last.createdAt, id: last.id }, taken)
    await countReopened(trx, row, changes.length)
    return { isWhole: handled.length === candidates.length, queued: changes.length }
  }

async function writeReopened(
  trx: SystemDb,
  { webhook_id, company_id }: RecoveryRow,
  changes: readonly DeliveryChange[],
  now: Date,
): Promise<void> {
  if (changes.length === 0) return
  await writeChanges(trx, changes, now)
  const waiting = changes.map(({ after }) => ({
    id: after.id,
    company_id,
    webhook_id,
    in_temporal: after.isInTemporal ? 1 : 0,
    attempts: after.attempts,
    recovery_base: after.recoveryBase,
  }))
  await queueToGoOn(trx, waiting)
}

/** Comes last: unrelated writers share the rows of the counters. */
async function countReopened(
  trx: SystemDb,
  { webhook_id: webhookId }: RecoveryRow,
  count: number,
): Promise<void> {
  if (count > 0) await addToCounters(trx, [{ webhookId, changes: { failed: -count, retrying: count } }])
}
