import { noticeOf } from '../../domain/notice/notice.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { afterLongFailure, type EndpointHealth } from '../../domain/webhook/health.ts'
import { LONG_FAILURE } from '../../domain/webhook/long-failure.ts'
import { databaseNow } from '../clock.ts'
import { tenantOf, type TenantRow } from '../conditions.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { execute, readRows, runIn, sql, type Statement } from '../connection/statements.ts'
import { lockHealth } from './endpoint-health.ts'
import { changeHealth, toHealth, type HealthRow } from './health-rows.ts'
import { deactivate, lockIfFree } from './deactivations.ts'
import { insertNotices } from '../notice/new-notices.ts'

/** An active webhook whose endpoint has failed for long, and the health of the endpoint. */
export type LongFailure = {
  readonly webhookId: string
  readonly tenant: Tenant
  readonly health: EndpointHealth
}

type Row = HealthRow & TenantRow

/**
 * Selects active webhooks whose counted failures began at the time or before it. Webhooks of suspended companies are left out.
 */
const failingSince = (since: Date): Statement => sql`
  SELECT h.*, w.company_id, w.environment FROM webhook_health h JOIN webhooks w ON w.id = h.webhook_id
   WHERE h.counted_since <= ${since} AND w.is_active = 1 AND w.deleted_at IS NULL
     AND NOT EXISTS (SELECT 1 FROM companies c WHERE c.id = w.company_id AND c.suspended_at IS NOT NULL)`

const toLongFailure = (row: Row): LongFailure => ({
  webhookId: row.webhook_id,
  tenant: tenantOf(row),
  health: toHealth(row),
})

/** The webhooks that began to fail at this time or before it and have no warning yet, the longest failing first. */
export async function listUnwarned(db: SystemDb, since: Date, limit: number): Promise<LongFailure[]> {
  const found = await readRows<Row>(db)`
    ${failingSince(since)} AND h.warned_at IS NULL ORDER BY h.counted_since LIMIT ${limit}`
  return found.map(toLongFailure)
}

/**
 * Writes the warning as a notice and stores that it was given. It does nothing if the endpoint has recovered, another
 * worker has warned, or another transaction locks the health.
 *
 * @param afterMs the shortest time from the first failure to the deactivation
 * @returns whether it warned
 */
export async function markWarned(
  db: SystemDb,
  { webhookId, tenant, health }: LongFailure,
  afterMs: number,
): Promise<boolean> {
  const { counted, lastError } = health
  if (counted.since === null) return false
  const causeAt = counted.since
  return inTransaction(db, async (trx) => {
    if ((await lockHealth(runIn(trx), [webhookId])).lockedElsewhere.size > 0) return false
    const marked = await execute(trx)`
      UPDATE webhook_health SET warned_at = NOW(3)
       WHERE webhook_id = ${webhookId} AND counted_since = ${causeAt} AND warned_at IS NULL`
    if (marked === 0) return false
    const facts = { at: new Date(causeAt.getTime() + afterMs), error: lastError }
    const kind = 'webhook_disable_warning'
    await insertNotices(trx, [noticeOf({ kind, tenant, targetId: webhookId, causeAt }, facts)])
    return true
  })
}

/** The further conditions for a deactivation, on the counts of failures. */
const longEnough = (now: Date): Statement => sql`
  AND h.counted_failures >= ${LONG_FAILURE.attempts} AND h.counted_days >= ${LONG_FAILURE.days}
  AND h.counted_at >= ${new Date(now.getTime() - LONG_FAILURE.latestWithinMs)}`

/** The webhooks to deactivate now, the longest failing first. */
export async function listDue(db: SystemDb, since: Date, now: Date, limit: number): Promise<LongFailure[]> {
  const found = await readRows<Row>(db)`
    ${failingSince(since)} ${longEnough(now)} ORDER BY h.counted_since LIMIT ${limit}`
  return found.map(toLongFailure)
}

/**
 * Reads the counted failures of a webhook again, and deactivates it if they began at the time or before it.
 *
 * @returns false if the endpoint has recovered, the webhook was changed, or another transaction locks it or its health
 */
export async function deactivateFailing(db: SystemDb, webhookId: string, since: Date): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const now = await databaseNow(trx)
    // Lock the webhook before its health. Every change of a webhook does the same, so the two cannot deadlock.
    if (!(await lockIfFree(trx, webhookId))) return false
    const [row] = await readRows<Row>(trx)`
      ${failingSince(since)} ${longEnough(now)} AND h.webhook_id = ${webhookId}`
    if (!row) return false
    const { tenant, health } = toLongFailure(row)
    const { counted, lastError } = health
    const what = {
      webhookId,
      companyId: tenant.companyId,
      reason: 'failing' as const,
      details: { failing_since: counted.since, failed_attempts: counted.attempts, last_error: lastError },
      facts: { at: counted.since, error: lastError },
    }
    if (!(await deactivate(trx, what, now))) return false
    await changeHealth(trx, webhookId, (at) => afterLongFailure(health, at))
    return true
  })
}
