import type { Tenant } from '../../domain/tenant.ts'
import type { Recovery, RecoveredOutcome } from '../../domain/recovery/recovery.ts'
import type { SystemDb } from '../connection/connection.ts'
import { rowsOf, run, type Statement } from '../connection/statements.ts'
import { DELIVERY_KINDS } from '../outbox/outbox.ts'
import { selectRecoveries, toRecovery, type RecoveryRow } from './recoveries.ts'

/* What a worker reads of a recovery without locks, before it queues the next page. */

/** The last one that a recovery handled, by its creation and id. */
export type RecoveryCursor = { readonly at: Date; readonly id: string } | undefined

/** A recovery with its place, and the state of its webhook. */
export type RecoveryState = {
  readonly tenant: Tenant
  readonly recovery: Recovery
  readonly cursor: RecoveryCursor
  /** The webhook is inactive, or its company suspended: nothing is queued until that is over. */
  readonly isHeld: boolean
  /** The circuit breaker of the endpoint is open. */
  readonly isFailing: boolean
}

export const cursorOf = ({ cursor_at: at, cursor_id: id }: RecoveryRow): RecoveryCursor =>
  at === null || id === null ? undefined : { at, id }

/** Reads a recovery of any tenant; undefined when there is none. */
export async function readRecovery(db: SystemDb, id: string): Promise<RecoveryState | undefined> {
  const [row] = await selectRecoveries(db).where({ 'r.id': id })
  return (
    row && {
      tenant: { companyId: row.company_id, environment: row.environment },
      recovery: toRecovery(row),
      cursor: cursorOf(row),
      isHeld: row.is_active !== 1 || row.suspended_at !== null,
      isFailing: row.probe_at !== null,
    }
  )
}

/** A delivery that the recovery queued. `outcome` undefined: its attempt is still to come. */
export type UnderWay = { readonly deliveryId: string; readonly outcome: RecoveredOutcome | undefined }

/** The deliveries that the recovery queued and has not settled, in the order in which their attempts ended. */
export async function listUnderWay(db: SystemDb, recoveryId: string): Promise<UnderWay[]> {
  const found = await run(db, {
    sql: `SELECT r.delivery_id, d.status, d.attempts > r.attempts_before AS is_attempted
            FROM recovery_deliveries r
            LEFT JOIN deliveries d ON d.id = r.delivery_id
            LEFT JOIN attempts a ON a.delivery_id = r.delivery_id AND a.number = r.attempts_before + 1
           WHERE r.recovery_id = ?
           ORDER BY a.started_at + INTERVAL a.duration_ms * 1000 MICROSECOND, r.delivery_id`,
    values: [recoveryId],
  })
  return rowsOf<UnderWayRow>(found).map((row) => ({ deliveryId: row.delivery_id, outcome: outcomeOf(row) }))
}

/** How many of the recovery's deliveries wait for an attempt. */
export const countUnderWay = async (db: SystemDb, recoveryId: string): Promise<number> =>
  (await listUnderWay(db, recoveryId)).filter(({ outcome }) => outcome === undefined).length

type UnderWayRow = { delivery_id: string; status: string | null; is_attempted: number | null }

function outcomeOf({ status, is_attempted }: UnderWayRow): RecoveredOutcome | undefined {
  if (status === null) return 'none'
  if (status === 'success') return 'success'
  if (is_attempted === 1) return 'failure'
  return status === 'failed' ? 'none' : undefined
}

/** A failed delivery that may be recovered, as it was read. */
export type Candidate = {
  readonly id: string
  readonly createdAt: Date
  readonly eventType: string
  /** What tells whether somebody changed the row since. */
  readonly attempts: number
  readonly retrySeq: number
  /** Whether a workflow may run: there may be one, and Temporal has to be asked. */
  readonly isInTemporal: boolean
  /** Whether the relay has a command about it, and may start its workflow. */
  readonly isQueued: boolean
}

/**
 * The next failed deliveries of the window behind the cursor, in the order of their creation. One statement reads them
 * together with their commands, so that what it says held at one moment. It reads along the index of the status, so it costs
 * the same wherever the cursor is.
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
  const found = await run(db, {
    sql: `SELECT d.id, d.created_at, d.event_type, d.attempts, d.retry_seq, d.in_temporal,
                 ${queued.join(' OR ')} AS is_queued
            FROM (${page.sql}) page JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = page.id
           ORDER BY page.created_at, page.id`,
    values: page.values,
  })
  return rowsOf<CandidateRow>(found).map((row) => ({
    id: row.id,
    createdAt: row.created_at,
    eventType: row.event_type,
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
  event_type: string
  attempts: number
  retry_seq: number
  in_temporal: number
  is_queued: number | string
}
