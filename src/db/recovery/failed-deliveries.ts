import type { Recovery } from '../../domain/recovery/recovery.ts'
import { isTest } from '../../domain/delivery/delivery.ts'
import { reopen } from '../../domain/delivery/transitions.ts'
import { anyOf, isAfter } from '../conditions.ts'
import type { SystemDb } from '../connection/connection.ts'
import { readRows, runIn, sql } from '../connection/statements.ts'
import { DELIVERY_KINDS } from '../outbox/outbox.ts'
import { type RecoveryCursor } from './rows.ts'
import { noteTaken, type Take } from './pages.ts'
import { addToCounters } from '../webhook/counters.ts'
import { lockDeliveries, writeChanges } from '../delivery/outcomes.ts'
import { changingColumns, type DeliveryChange, type DeliveryRow } from '../delivery/rows.ts'
import { queueToGoOn } from '../outbox/going-on.ts'

/** A failed delivery that was read and may be recovered. */
export type Candidate = {
  readonly id: string
  readonly createdAt: Date
  /** Together with `retrySeq` it tells whether somebody has changed the row since. */
  readonly attempts: number
  readonly retrySeq: number
  /** Whether it may have a workflow. Then Temporal must be asked whether the workflow runs. */
  readonly isInTemporal: boolean
  /** Whether the outbox has a command about it. Then the relay may start its workflow. */
  readonly isQueued: boolean
}

/**
 * The next failed deliveries of the window after the cursor, in the order of their creation. One statement reads them and
 * their commands, so both are from the same moment. It reads along the index of the status, so its cost does not depend on
 * the place of the cursor.
 */
export async function listFailed(
  db: SystemDb,
  { webhookId, since, until }: Pick<Recovery, 'webhookId' | 'since' | 'until'>,
  cursor: RecoveryCursor,
  limit: number,
): Promise<Candidate[]> {
  const queued = DELIVERY_KINDS.map(
    (kind) => sql`
      EXISTS (SELECT 1 FROM outbox FORCE INDEX (outbox_subject) WHERE kind = ${kind} AND subject_id = page.id)`,
  )
  const start = cursor ? isAfter('created_at', cursor) : sql`created_at >= ${since}`
  const found = await readRows<CandidateRow>(db)`
    SELECT d.id, d.created_at, d.attempts, d.retry_seq, d.in_temporal,
           ${anyOf(queued)} AS is_queued
      FROM (SELECT id, created_at FROM deliveries FORCE INDEX (deliveries_status)
             WHERE webhook_id = ${webhookId} AND status = 'failed' AND created_at < ${until} AND ${start}
             ORDER BY created_at, id LIMIT ${limit}) page
      JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = page.id
     ORDER BY page.created_at, page.id`
  return found.map((row) => ({
    id: row.id,
    createdAt: row.created_at,
    attempts: row.attempts,
    retrySeq: row.retry_seq,
    isInTemporal: row.in_temporal === 1,
    isQueued: Number(row.is_queued) === 1,
  }))
}

type CandidateRow = Pick<DeliveryRow, 'id' | 'created_at' | 'attempts' | 'retry_seq' | 'in_temporal'> & {
  is_queued: number | string
}

/** A failed delivery to open again. `hasNoRun`: no workflow of it runs, and none can start. */
export type CheckedCandidate = Candidate & { readonly hasNoRun: boolean }

/**
 * Opens candidates again, in their order, as many as there is room for. It stops before a candidate that another
 * transaction locks, and the next page begins with that candidate. It skips candidates that are no longer failed.
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
    if (changes.length > 0) {
      await writeChanges(trx, changes, now)
      const rows = changes.map(({ before, after }) => ({ ...before.row, ...changingColumns(after, now) }))
      await queueToGoOn(trx, rows)
    }
    const last = handled.at(-1)
    const taken = changes.map(({ after }) => after)
    if (last) await noteTaken(trx, row.id, { at: last.createdAt, id: last.id }, taken)
    const count = changes.length
    // The counters change last, because unrelated writers share their rows and must not wait long.
    if (count > 0) {
      await addToCounters(trx, [{ webhookId: row.webhook_id, changes: { failed: -count, retrying: count } }])
    }
    return { isWhole: handled.length === candidates.length, queued: count }
  }
