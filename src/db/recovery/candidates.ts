import type { Recovery } from '../../domain/recovery/recovery.ts'
import type { SystemDb } from '../connection/connection.ts'
import { readRows, type Statement } from '../connection/statements.ts'
import { DELIVERY_KINDS } from '../outbox/outbox.ts'
import type { RecoveryCursor } from './work.ts'

/** A failed delivery that may be recovered, as it was read. */
export type Candidate = {
  readonly id: string
  readonly createdAt: Date
  /** With `retrySeq` it tells whether somebody has changed the row since. */
  readonly attempts: number
  readonly retrySeq: number
  /** Whether it may have a workflow, so that Temporal has to be asked whether that runs. */
  readonly isInTemporal: boolean
  /** Whether the relay has a command about it, and may start its workflow. */
  readonly isQueued: boolean
}

/**
 * The next failed deliveries of the window behind the cursor, in the order of their creation. One statement reads them and
 * their commands, so both are of the same moment. It reads along the index of the status, so it costs the same wherever the
 * cursor is.
 */
export async function listFailed(
  db: SystemDb,
  { webhookId, since, until }: Pick<Recovery, 'webhookId' | 'since' | 'until'>,
  cursor: RecoveryCursor,
  limit: number,
): Promise<Candidate[]> {
  const page = failedStatement({ webhookId, since, until }, cursor, limit)
  const queued = DELIVERY_KINDS.map(
    (kind) =>
      `EXISTS (SELECT 1 FROM outbox FORCE INDEX (outbox_subject) WHERE kind = '${kind}' AND subject_id = page.id)`,
  )
  const found = await readRows<CandidateRow>(db, {
    sql: `SELECT d.id, d.created_at, d.attempts, d.retry_seq, d.in_temporal,
                 ${queued.join(' OR ')} AS is_queued
            FROM (${page.sql}) page JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = page.id
           ORDER BY page.created_at, page.id`,
    values: page.values,
  })
  return found.map((row) => ({
    id: row.id,
    createdAt: row.created_at,
    attempts: row.attempts,
    retrySeq: row.retry_seq,
    isInTemporal: row.in_temporal === 1,
    isQueued: Number(row.is_queued) === 1,
  }))
}

const failedStatement = (
  { webhookId, since, until }: Pick<Recovery, 'webhookId' | 'since' | 'until'>,
  after: RecoveryCursor,
  limit: number,
): Statement => ({
  sql: `SELECT id, created_at FROM deliveries FORCE INDEX (deliveries_status)
         WHERE webhook_id = ? AND status = 'failed' AND created_at < ?
           AND ${after ? BEHIND : 'created_at >= ?'}
         ORDER BY created_at, id LIMIT ?`,
  values: [webhookId, until, ...(after ? [after.at, after.at, after.id] : [since]), limit],
})

/** Behind a place in the order of creation and id, in a form that the servers read as ranges of an index. */
export const BEHIND = '(created_at > ? OR (created_at = ? AND id > ?))'

type CandidateRow = {
  id: string
  created_at: Date
  attempts: number
  retry_seq: number
  in_temporal: number
  is_queued: number | string
}
