import type { Tenant } from '../../domain/tenant.ts'
import type { StatsEntry } from '../../domain/webhook/stats-window.ts'
import type { Db } from '../connection/connection.ts'
import { placeholders, rowsOf, run } from '../connection/statements.ts'
import { COUNT_COLUMNS, toFigures } from './stats-columns.ts'

/** Statistics of the attempts of one webhook: see readStatsOf. */
export const readStats = async (
  db: Db,
  tenant: Tenant,
  webhookId: string,
  since: Date,
): Promise<readonly StatsEntry[]> => (await readStatsOf(db, tenant, [webhookId], since)).get(webhookId) ?? []

/**
 * Statistics of the attempts of webhooks by their ids, in no order. A webhook without attempts, or of another tenant, is
 * absent. The same time may come twice, because hours become days after a while. A webhook has some hundred rows at most.
 *
 * @param since entries that begin earlier are left out
 */
export async function readStatsOf(
  db: Db,
  tenant: Tenant,
  webhookIds: readonly string[],
  since: Date,
): Promise<ReadonlyMap<string, readonly StatsEntry[]>> {
  const sums = COUNT_COLUMNS.map((column) => `SUM(s.${column}) AS ${column}`).join(', ')
  const readFrom = async (table: string) => {
    const found = await run(db, {
      sql: `SELECT s.webhook_id, s.starts_at, ${sums} FROM ${table} s JOIN webhooks w ON w.id = s.webhook_id
             WHERE s.webhook_id IN (${placeholders(webhookIds.length)}) AND s.starts_at >= ?
               AND w.company_id = ? AND w.environment = ?
             GROUP BY s.webhook_id, s.starts_at`,
      values: [...webhookIds, since, tenant.companyId, tenant.environment],
    })
    return rowsOf<{ webhook_id: string; starts_at: Date }>(found)
  }
  const rows = await Promise.all([readFrom('webhook_stats_hours'), readFrom('webhook_stats_days')])
  const entries = new Map<string, StatsEntry[]>()
  for (const row of rows.flat()) {
    const ofWebhook = entries.get(row.webhook_id) ?? []
    ofWebhook.push({ startsAt: row.starts_at, figures: toFigures(row) })
    entries.set(row.webhook_id, ofWebhook)
  }
  return entries
}
