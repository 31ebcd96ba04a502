import type { Tenant } from '../../domain/tenant.ts'
import type { StatsEntry } from '../../domain/webhook/stats.ts'
import type { Db } from '../connection/connection.ts'
import { ofTenantSql } from '../conditions.ts'
import { rawSql, readRows, sql, type Statement } from '../connection/statements.ts'
import { COUNT_COLUMNS, toFigures } from './hourly-stats.ts'

/** Statistics of the attempts of one webhook: see readStatsOf. */
export const readStats = async (
  db: Db,
  tenant: Tenant,
  webhookId: string,
  since: Date,
): Promise<readonly StatsEntry[]> => (await readStatsOf(db, tenant, [webhookId], since)).get(webhookId) ?? []

/**
 * Statistics of the attempts of webhooks with these ids, in no particular order. A webhook without attempts, or of another
 * tenant, is absent. The same time may occur twice, as an hour and as a day, because foldHours moves hours to days. A
 * webhook has a few hundred rows at most.
 *
 * @param since entries that begin earlier are left out
 */
export async function readStatsOf(
  db: Db,
  tenant: Tenant,
  webhookIds: readonly string[],
  since: Date,
): Promise<ReadonlyMap<string, readonly StatsEntry[]>> {
  const rows = await readSums<{ webhook_id: string }>(
    db,
    sql`s.webhook_id, s.starts_at`,
    sql`${ofTenantSql(tenant, 'w')}
        AND s.webhook_id IN (${webhookIds}) AND s.starts_at >= ${since}`,
  )
  const byWebhook = Map.groupBy(rows, ({ webhook_id }) => webhook_id)
  return new Map([...byWebhook].map(([id, own]) => [id, own.map(toEntry)]))
}

/** Like readStatsOf, but the database adds up the figures of all webhooks of the tenant that are not deleted. */
export async function readTenantSums(db: Db, tenant: Tenant, since: Date): Promise<readonly StatsEntry[]> {
  const rows = await readSums(
    db,
    sql`s.starts_at`,
    sql`${ofTenantSql(tenant, 'w')} AND w.deleted_at IS NULL
        AND s.starts_at >= ${since}`,
  )
  return rows.map(toEntry)
}

const toEntry = (row: { starts_at: Date }): StatsEntry => ({
  startsAt: row.starts_at,
  figures: toFigures(row),
})

/** Adds up the figures of the hours and days that meet the condition, grouped by the columns `by`. */
async function readSums<By>(
  db: Db,
  by: Statement,
  condition: Statement,
): Promise<(By & { starts_at: Date })[]> {
  const sums = COUNT_COLUMNS.map((column) => rawSql(`SUM(s.${column}) AS ${column}`))
  const found = await Promise.all(
    [sql`webhook_stats_hours`, sql`webhook_stats_days`].map(
      (table) => readRows<By & { starts_at: Date }>(db)`
        SELECT ${by}, ${sums} FROM ${table} s JOIN webhooks w ON w.id = s.webhook_id
         WHERE ${condition} GROUP BY ${by}`,
    ),
  )
  return found.flat()
}
