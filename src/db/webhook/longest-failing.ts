import type { Environment } from '../../domain/tenant.ts'
import type { FailingWebhook } from '../../domain/webhook/failing.ts'
import type { SystemDb } from '../connection/connection.ts'
import { readRows } from '../connection/statements.ts'
import { toHealth, type HealthRow } from './health-rows.ts'

type Row = HealthRow & {
  name: string
  company_id: string
  company_name: string
  environment: Environment
  waiting: string | number
  now: Date
}

/**
 * The webhooks of all companies whose endpoints have failed for the longest time. Only failures of the endpoint itself count, as for a
 * deactivation. Webhooks of suspended companies are left out. It reads the index of the failing ones in its order, and of each a row of
 * the webhook, of the company and 16 of its counters: with `limit` rows, about 20 times as many.
 */
export async function listLongestFailing(db: SystemDb, limit: number): Promise<FailingWebhook[]> {
  const rows = await readRows<Row>(db, {
    sql: `SELECT STRAIGHT_JOIN h.*, w.name, w.company_id, w.environment, c.name AS company_name, NOW(3) AS now,
                 (SELECT COALESCE(SUM(n.pending + n.retrying), 0) FROM webhook_counters n
                   WHERE n.webhook_id = h.webhook_id) AS waiting
            FROM webhook_health h FORCE INDEX (webhook_health_counted)
            JOIN webhooks w FORCE INDEX (PRIMARY) ON w.id = h.webhook_id
            JOIN companies c FORCE INDEX (PRIMARY) ON c.id = w.company_id
           WHERE h.counted_since IS NOT NULL AND w.is_active = 1 AND w.deleted_at IS NULL AND c.suspended_at IS NULL
           ORDER BY h.counted_since LIMIT ?`,
    values: [limit],
  })
  return rows.map((row) => ({
    id: row.webhook_id,
    name: row.name,
    tenant: { companyId: row.company_id, environment: row.environment },
    companyName: row.company_name,
    health: toHealth(row),
    waiting: Number(row.waiting),
    now: row.now,
  }))
}
