import {
  waitOf,
  type Recovery,
  type RecoveryKind,
  type RecoveryState,
  type StoppedReason,
  type RecoveredOutcome,
} from '../../domain/recovery/recovery.ts'
import type { Environment, Tenant } from '../../domain/tenant.ts'
import { tenantOf } from '../conditions.ts'
import type { Db, SystemDb } from '../connection/connection.ts'
import { readRows } from '../connection/statements.ts'

/** A row of `recoveries`. */
export type RecoveryRow = {
  id: string
  company_id: string
  environment: Environment
  webhook_id: string
  running_webhook_id: string | null
  kind: RecoveryKind
  state: RecoveryState
  stopped_reason: StoppedReason | null
  since_at: Date
  until_at: Date
  total: number | null
  queued: number
  failed_in_row: number
  cursor_at: Date | null
  cursor_id: string | null
  created_at: Date
  touched_at: Date
  ended_at: Date | null
  /** Not a time, but a number of deliveries under way: see letRecoveryWait. null: the recovery does not wait. */
  wakes_at: number | null
  probes_before: number | null
}

/** A row, with the columns of other tables that say why the recovery waits. */
type FoundRecovery = RecoveryRow & {
  is_active: number | null
  suspended_at: Date | null
  probe_at: Date | null
}

/** Selects recoveries `r` with the columns that toRecovery needs. Each of the other tables is read by its primary key. */
export const selectRecoveries = (db: Db) =>
  db('recoveries as r')
    .leftJoin('webhooks as w', 'w.id', 'r.webhook_id')
    .leftJoin('companies as c', 'c.id', 'r.company_id')
    .leftJoin('webhook_health as h', 'h.webhook_id', 'r.webhook_id')
    .select<FoundRecovery[]>('r.*', 'w.is_active', 'c.suspended_at', 'h.probe_at')

export const toRecovery = (row: FoundRecovery): Recovery => ({
  id: row.id,
  webhookId: row.webhook_id,
  kind: row.kind,
  state: row.state,
  stoppedReason: row.stopped_reason,
  waitsFor: waitOf({
    state: row.state,
    isSuspended: row.suspended_at !== null,
    isInactive: row.is_active !== 1,
    isFailing: row.probe_at !== null,
    isWaiting: row.wakes_at !== null,
  }),
  since: row.since_at,
  until: row.until_at,
  total: row.total,
  queued: row.queued,
  createdAt: row.created_at,
  endedAt: row.ended_at,
})

/** The delivery or event that a recovery handled last, by its creation and id. */
export type RecoveryCursor = { readonly at: Date; readonly id: string } | undefined

/** What a worker must know to continue a recovery: its row, its cursor, and whether the webhook may be sent to. */
export type RecoveryWork = {
  readonly tenant: Tenant
  readonly recovery: Recovery
  readonly cursor: RecoveryCursor
  /** Whether the webhook is inactive, or its company suspended. Until that is over, nothing is queued. */
  readonly isParked: boolean
  /** Whether the circuit breaker of the endpoint is open. */
  readonly isFailing: boolean
}

export const cursorOf = ({ cursor_at: at, cursor_id: id }: RecoveryRow): RecoveryCursor =>
  at === null || id === null ? undefined : { at, id }

/** Reads a recovery of any tenant; undefined when there is none. */
export async function readRecovery(db: SystemDb, id: string): Promise<RecoveryWork | undefined> {
  const [row] = await selectRecoveries(db).where({ 'r.id': id })
  return (
    row && {
      tenant: tenantOf(row),
      recovery: toRecovery(row),
      cursor: cursorOf(row),
      isParked: row.is_active !== 1 || row.suspended_at !== null,
      isFailing: row.probe_at !== null,
    }
  )
}

/** A delivery that the recovery queued. If `outcome` is undefined, its attempt is still to come. */
type UnderWay = { readonly deliveryId: string; readonly outcome: RecoveredOutcome | undefined }

/** The deliveries that the recovery queued and has not counted yet, in the order in which their attempts ended. */
export async function listUnderWay(db: SystemDb, recoveryId: string): Promise<UnderWay[]> {
  const found = await readRows<UnderWayRow>(db)`
    SELECT r.delivery_id, d.status, d.attempts > r.attempts_before AS is_attempted
      FROM recovery_deliveries r
      LEFT JOIN deliveries d ON d.id = r.delivery_id
      LEFT JOIN attempts a ON a.delivery_id = r.delivery_id AND a.number = r.attempts_before + 1
     WHERE r.recovery_id = ${recoveryId}
     ORDER BY a.started_at + INTERVAL a.duration_ms * 1000 MICROSECOND, r.delivery_id`
  return found.map((row) => ({ deliveryId: row.delivery_id, outcome: outcomeOf(row) }))
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
