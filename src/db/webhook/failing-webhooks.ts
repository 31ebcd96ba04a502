import type { Tenant } from '../../domain/tenant.ts'
import type { FailingWebhook } from '../../domain/webhook/health.ts'
import { tenantOf, type TenantRow } from '../conditions.ts'
import type { SystemDb } from '../connection/connection.ts'
import { NOTHING, readRows, sql } from '../connection/statements.ts'
import { toHealth, type HealthRow } from './health-rows.ts'

type FailingRow = HealthRow &
  TenantRow & { name: string; company_name: string; waiting: string | number; now: Date }

/**
 * The webhooks of all companies whose endpoints have failed for the longest time. Only failures of the endpoint itself
 * count, as for a deactivation. Webhooks of suspended companies are left out. It reads along the index on `counted_since`.
 * Each webhook that it returns costs about 20 rows: its health, the webhook, its company and 16 counters.
 */
export async function listLongestFailing(db: SystemDb, limit: number): Promise<FailingWebhook[]> {
  const rows = await readRows<FailingRow>(db)`
    SELECT STRAIGHT_JOIN h.*, w.name, w.company_id, w.environment, c.name AS company_name, NOW(3) AS now,
           (SELECT COALESCE(SUM(n.pending + n.retrying), 0) FROM webhook_counters n
             WHERE n.webhook_id = h.webhook_id) AS waiting
      FROM webhook_health h FORCE INDEX (webhook_health_counted)
      JOIN webhooks w FORCE INDEX (PRIMARY) ON w.id = h.webhook_id
      JOIN companies c FORCE INDEX (PRIMARY) ON c.id = w.company_id
     WHERE h.counted_since IS NOT NULL AND w.is_active = 1 AND w.deleted_at IS NULL AND c.suspended_at IS NULL
     ORDER BY h.counted_since LIMIT ${limit}`
  return rows.map((row) => ({
    id: row.webhook_id,
    name: row.name,
    tenant: tenantOf(row),
    companyName: row.company_name,
    health: toHealth(row),
    waiting: Number(row.waiting),
    now: row.now,
  }))
}

/** A webhook and its tenant. */
export type OwnedWebhook = { readonly tenant: Tenant; readonly webhookId: string }

type Search = {
  readonly since: Date
  readonly companyId: string | undefined
  readonly afterId: string
  readonly limit: number
}

/**
 * Searches a page of active webhooks, in the order of their ids, for those with failed deliveries that were created at
 * `since` or later.
 *
 * @param search.afterId the last webhook of the page before; '' for the first page
 * @param search.limit how many webhooks to read
 * @returns the webhooks that were found, and where the next page begins; undefined at the end
 */
export async function listFailedWebhooks(
  db: SystemDb,
  { since, companyId, afterId, limit }: Search,
): Promise<{ found: OwnedWebhook[]; nextAfterId: string | undefined }> {
  const ofCompany = companyId === undefined ? NOTHING : sql`AND company_id = ${companyId}`
  const rows = await readRows<TenantRow & { id: string; has_failed: number }>(db)`
    SELECT w.*, EXISTS (SELECT 1 FROM deliveries FORCE INDEX (deliveries_status)
                         WHERE webhook_id = w.id AND status = 'failed' AND created_at >= ${since}) AS has_failed
      FROM (SELECT id, company_id, environment FROM webhooks FORCE INDEX (PRIMARY)
             WHERE id > ${afterId} AND is_active = 1 AND deleted_at IS NULL ${ofCompany}
             ORDER BY id LIMIT ${limit}) w
     ORDER BY w.id`
  const found = rows
    .filter(({ has_failed }) => has_failed === 1)
    .map((row) => ({ tenant: tenantOf(row), webhookId: row.id }))
  return { found, nextAfterId: rows.length < limit ? undefined : rows.at(-1)?.id }
}
