import { limitedUntil, HEALTHY, type EndpointHealth } from '../../domain/webhook/health.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { databaseNow } from '../clock.ts'
import type { Db } from '../connection/connection.ts'
import { ofTenantSql } from '../conditions.ts'
import { readRows } from '../connection/statements.ts'

/** A row of webhook_health. */
export type HealthRow = {
  webhook_id: string
  consecutive_failures: number
  failing_since: Date | null
  last_error: string | null
  counted_since: Date | null
  counted_at: Date | null
  counted_failures: number
  counted_days: number
  warned_at: Date | null
  probe_at: Date | null
  failed_probes: number
  probe_delivery_id: string | null
  paused_until: Date | null
  recovered_at: Date | null
  limited_until: Date | null
  changed_at: Date
}

export const toHealth = (row: HealthRow): EndpointHealth => ({
  consecutiveFailures: row.consecutive_failures,
  failingSince: row.failing_since,
  lastError: row.last_error,
  counted: {
    since: row.counted_since,
    latestAt: row.counted_at,
    attempts: row.counted_failures,
    days: row.counted_days,
  },
  warnedAt: row.warned_at,
  probeAt: row.probe_at,
  failedProbes: row.failed_probes,
  probeDeliveryId: row.probe_delivery_id,
  pausedUntil: row.paused_until,
  recoveredAt: row.recovered_at,
})

/** The row of a webhook's health. @param now the time of the database's clock */
export const toHealthRow = (webhookId: string, health: EndpointHealth, now: Date): HealthRow => ({
  webhook_id: webhookId,
  consecutive_failures: health.consecutiveFailures,
  failing_since: health.failingSince,
  last_error: health.lastError,
  counted_since: health.counted.since,
  counted_at: health.counted.latestAt,
  counted_failures: health.counted.attempts,
  counted_days: health.counted.days,
  warned_at: health.warnedAt,
  probe_at: health.probeAt,
  failed_probes: health.failedProbes,
  probe_delivery_id: health.probeDeliveryId,
  paused_until: health.pausedUntil,
  recovered_at: health.recoveredAt,
  limited_until: limitedUntil(health),
  changed_at: now,
})

/** The health of a webhook's endpoint, and when it was read, by the clock of the database. */
type ReadHealth = {
  readonly isActive: boolean
  /** Whether the company of the webhook is suspended. */
  readonly isSuspended: boolean
  readonly health: EndpointHealth
  readonly now: Date
}

/** Maps each id to the health of its webhook. Ids that are not of this tenant's webhooks are left out. */
export async function readHealths(
  db: Db,
  tenant: Tenant,
  webhookIds: readonly string[],
): Promise<ReadonlyMap<string, ReadHealth>> {
  if (webhookIds.length === 0) return new Map()
  // PRIMARY is forced, because along the tenant's index the server would read every webhook that was ever deleted.
  const rows = await readRows<HealthRow & { id: string; is_active: number; is_suspended: number; now: Date }>(
    db,
  )`
    SELECT h.*, w.id, w.is_active, c.suspended_at IS NOT NULL AS is_suspended, NOW(3) AS now
      FROM webhooks w FORCE INDEX (PRIMARY)
      LEFT JOIN webhook_health h ON h.webhook_id = w.id
      LEFT JOIN companies c ON c.id = w.company_id
     WHERE ${ofTenantSql(tenant, 'w')} AND w.id IN (${webhookIds})`
  return new Map(
    rows.map((row) => {
      const health = (row.webhook_id as string | null) === null ? HEALTHY : toHealth(row)
      const isSuspended = row.is_suspended === 1
      return [row.id, { isActive: row.is_active === 1, isSuspended, health, now: row.now }]
    }),
  )
}

/** The health of one webhook; undefined if the tenant has no webhook with the id. */
export const readHealth = async (
  db: Db,
  tenant: Tenant,
  webhookId: string,
): Promise<ReadHealth | undefined> => (await readHealths(db, tenant, [webhookId])).get(webhookId)

/** Replaces the health of an endpoint. The caller must have locked the webhook. */
export async function changeHealth(
  trx: Db,
  webhookId: string,
  change: (now: Date) => EndpointHealth,
): Promise<void> {
  const now = await databaseNow(trx)
  const row = toHealthRow(webhookId, change(now), now)
  await trx('webhook_health').insert(row).onConflict('webhook_id').merge()
}

/** Removes the health of a deleted webhook. */
export async function deleteHealth(trx: Db, webhookId: string): Promise<void> {
  await trx('webhook_health').where({ webhook_id: webhookId }).delete()
}
