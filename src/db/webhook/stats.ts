import type { Tenant } from '../../domain/tenant.js'
import type { StatsEntry } from '../../domain/webhook/stats-window.js'
import type { Db } from '../connection/connection.js'
import { rowsOf, run } from '../connection/statements.js'
import { COUNT_COLUMNS, toFigures } from './stats-columns.js'

/**
 * Statistics of the attempts of one webhook, in no order. The same time may come twice, because hours become days after a
 * while. A webhook has some hundred rows at most.
 *
 * @param since entries that begin earlier are left out
 */
export async function readStats(
  db: Db,
  tenant: Tenant,
  webhookId: string,
  since: Date,
): Promise<StatsEntry[]> {
  const sums = COUNT_COLUMNS.map((column) => `SUM(s.${column}) AS ${column}`).join(', ')
  const readFrom = async (table: string): Promise<StatsEntry[]> => {
    const found = await run(db, {
      sql: `SELECT s.starts_at, ${sums} FROM ${table} s JOIN webhooks w ON w.id = s.webhook_id
             WHERE s.webhook_id = ? AND s.starts_at >= ? AND w.company_id = ? AND w.environment = ?
             GROUP BY s.starts_at`,
      values: [webhookId, since, tenant.companyId, tenant.environment],
    })
    return rowsOf<{ starts_at: Date }>(found).map((row) => ({
      startsAt: row.starts_at,
      figures: toFigures(row),
    }))
  }
  const [hours, days] = await Promise.all([readFrom('webhook_stats_hours'), readFrom('webhook_stats_days')])
  return [...hours, ...days]
}
