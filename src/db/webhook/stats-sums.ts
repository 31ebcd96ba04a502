import type { Tenant } from '../../domain/tenant.ts'
import type { StatsEntry } from '../../domain/webhook/stats.ts'
import type { Db } from '../connection/connection.ts'
import { placeholders, rowsOf, run, type Statement } from '../connection/statements.ts'
import { COUNT_COLUMNS, toFigures } from './hourly-stats.ts'

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
  const where = `w.company_id = ? AND w.environment = ? AND s.webhook_id IN (${placeholders(webhookIds.length)})`
  const rows = await readSums<{ webhook_id: string }>(db, 's.webhook_id, s.starts_at', {
    sql: where,
    values: [tenant.companyId, tenant.environment, ...webhookIds],
    since,
  })
  const byWebhook = Map.groupBy(rows, ({ webhook_id }) => webhook_id)
  return new Map([...byWebhook].map(([id, own]) => [id, own.map(toEntry)]))
}

/** As readStatsOf, added up by the database over all webhooks of the tenant that are not deleted. */
export async function readTenantSums(db: Db, tenant: Tenant, since: Date): Promise<readonly StatsEntry[]> {
  const rows = await readSums(db, 's.starts_at', {
    sql: 'w.company_id = ? AND w.environment = ? AND w.deleted_at IS NULL',
    values: [tenant.companyId, tenant.environment],
    since,
  })
  return rows.map(toEntry)
}

const toEntry = (row: { starts_at: Date }): StatsEntry => ({
  startsAt: row.starts_at,
  figures: toFigures(row),
})

/** Adds up the figures of the hours and of the days since a time, for each value of the columns `by`. */
async function readSums<By>(
  db: Db,
  by: string,
  { sql: where, values, since }: Statement & { readonly since: Date },
): Promise<(By & { starts_at: Date })[]> {
  const sums = COUNT_COLUMNS.map((column) => `SUM(s.${column}) AS ${column}`).join(', ')
  const found = await Promise.all(
    ['webhook_stats_hours', 'webhook_stats_days'].map((table) =>
      run(db, {
        sql: `SELECT ${by}, ${sums} FROM ${table} s JOIN webhooks w ON w.id = s.webhook_id
               WHERE ${where} AND s.starts_at >= ? GROUP BY ${by}`,
        values: [...values, since],
      }),
    ),
  )
  return found.flatMap((result) => rowsOf<By & { starts_at: Date }>(result))
}
