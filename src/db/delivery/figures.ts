import type { heldReason } from '../../domain/delivery/gate.ts'
import { HEALTHY, holdsFirstAttempts } from '../../domain/webhook/health.ts'
import type { SystemDb } from '../connection/connection.ts'
import { rawSql, readRows, sql, type Statement } from '../connection/statements.ts'

/** The facts that decide whether the deliveries of a webhook are held. */
type WaitingWebhook = {
  readonly id: string
  readonly companyId: string
  readonly isActive: boolean
  /** Whether the company of the webhook is suspended. */
  readonly isSuspended: boolean
  readonly isDeleted: boolean
  readonly holdsFirstAttempts: boolean
}

type WaitingRow = {
  id: string
  company_id: string
  is_active: number
  is_suspended: number
  deleted_at: Date | null
  probe_at: Date | null
  paused_until: Date | null
  now: Date
}

/** Reads webhooks by their ids, with the health of their endpoints. */
export async function readWaitingWebhooks(db: SystemDb, ids: readonly string[]): Promise<WaitingWebhook[]> {
  if (ids.length === 0) return []
  const found = await readRows<WaitingRow>(db)`
    SELECT w.id, w.company_id, w.is_active, w.deleted_at, c.suspended_at IS NOT NULL AS is_suspended,
           h.probe_at, h.paused_until, NOW(3) AS now
      FROM webhooks w
      LEFT JOIN companies c ON c.id = w.company_id
      LEFT JOIN webhook_health h ON h.webhook_id = w.id
     WHERE w.id IN (${ids})`
  return found.map((row) => ({
    id: row.id,
    companyId: row.company_id,
    isActive: row.is_active === 1,
    isSuspended: row.is_suspended === 1,
    isDeleted: row.deleted_at !== null,
    holdsFirstAttempts: holdsFirstAttempts(
      { ...HEALTHY, probeAt: row.probe_at, pausedUntil: row.paused_until },
      row.now,
    ),
  }))
}

/** The columns of an open delivery that heldReason reads. */
type OpenDelivery = Parameters<typeof heldReason>[0]

/** Open deliveries of the webhooks, `limit` at most. */
export async function listOpenOf(
  db: SystemDb,
  webhookIds: readonly string[],
  limit: number,
): Promise<OpenDelivery[]> {
  if (webhookIds.length === 0) return []
  return readRows<OpenDelivery>(db)`
    SELECT status, event_id AS eventId, attempts, retry_seq AS retrySeq, retry_served AS retryServed,
           recovery_base AS recoveryBase
      FROM deliveries FORCE INDEX (deliveries_status)
     WHERE webhook_id IN (${webhookIds}) AND status IN ('pending', 'retrying')
     LIMIT ${limit}`
}

/** Some open deliveries. `isWhole`: there are no more. */
type OpenIds = { readonly ids: readonly string[]; readonly isWhole: boolean }

/**
 * The ids of open deliveries: those due earliest, and those parked earliest, at most `limit` of each. It reads entries of
 * an index, and no rows.
 */
export async function listOpenIds(db: SystemDb, limit: number): Promise<OpenIds> {
  const [wakeAt, parkedAt] = [rawSql('wake_at'), rawSql('parked_at')]
  const parts = await Promise.all(
    [firstBy(wakeAt, parkedAt, limit), firstBy(parkedAt, wakeAt, limit)].map(
      (first) => readRows<{ id: string }>(db)`${first}`,
    ),
  )
  return {
    ids: parts.flat().map(({ id }) => id),
    isWhole: parts.every((rows) => rows.length < limit),
  }
}

/** The index `deliveries_due` has closed_at, parked_at and wake_at. Each delivery has exactly one of these times. */
const firstBy = (time: Statement, otherTime: Statement, limit: number): Statement => sql`
  SELECT id FROM deliveries FORCE INDEX (deliveries_due)
   WHERE closed_at IS NULL AND ${otherTime} IS NULL AND ${time} IS NOT NULL ORDER BY ${time} LIMIT ${limit}`
