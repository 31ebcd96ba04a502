import {
  waitOf,
  type Recovery,
  type RecoveryKind,
  type RecoveryState,
  type StoppedReason,
} from '../../domain/recovery/recovery.ts'
import type { Environment } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'

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
  wakes_at: number | null
  probes_before: number | null
}

/** A row with the columns of other tables that say what the recovery waits for. */
export type FoundRecovery = RecoveryRow & {
  is_active: number | null
  suspended_at: Date | null
  probe_at: Date | null
}

/** Recoveries as `r` with what toRecovery needs; each of the other tables is read by its primary key. */
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
