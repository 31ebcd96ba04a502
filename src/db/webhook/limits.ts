import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { ofTenantSql } from '../conditions.ts'
import { foundBy, readRows, run } from '../connection/statements.ts'

const WINDOW_MS = 3_600_000

/**
 * Counts a switch of the webhook: an activation, a deactivation or a change of its event types. An hour begins with the
 * first one. Run it in the transaction of the change, which has locked the webhook.
 *
 * @param most how many switches an hour may have
 * @returns undefined, or the end of the hour when there is no room
 */
export async function countSwitch(
  trx: Db,
  tenant: Tenant,
  id: string,
  { most, now }: { readonly most: number; readonly now: Date },
): Promise<Date | undefined> {
  const over = new Date(now.getTime() - WINDOW_MS)
  const isNew = '(switches_since IS NULL OR switches_since <= ?)'
  const own = ofTenantSql(tenant)
  const webhook = { sql: `id = ? AND ${own.sql}`, values: [id, ...own.values] }
  const counted = await run(trx, {
    // The servers set the columns in this order, and each assignment sees the new values of the columns before it.
    sql: `UPDATE webhooks SET switches = IF(${isNew}, 1, switches + 1), switches_since = IF(${isNew}, ?, switches_since)
           WHERE ${webhook.sql} AND (switches < ? OR ${isNew})`,
    values: [over, over, now, ...webhook.values, most, over],
  })
  if (foundBy(counted) > 0) return undefined
  const [row] = await readRows<{ switches_since: Date }>(trx, {
    sql: `SELECT switches_since FROM webhooks WHERE ${webhook.sql}`,
    values: webhook.values,
  })
  return row && new Date(row.switches_since.getTime() + WINDOW_MS)
}

/** What the filters of all webhooks of the tenant but one come to: bytes of JSON, and webhooks whose filter has a $regex. */
export async function sumFilters(
  db: Db,
  tenant: Tenant,
  exceptId: string,
): Promise<{ readonly bytes: number; readonly withPatterns: number }> {
  const { sql, values } = ofTenantSql(tenant)
  const [sums] = await readRows<{ bytes: number | string | null; patterns: number | string | null }>(db, {
    sql: `SELECT SUM(LENGTH(filter)) AS bytes, SUM(filter LIKE '%"$regex"%') AS patterns FROM webhooks
           WHERE ${sql} AND deleted_at IS NULL AND filter IS NOT NULL AND id <> ?`,
    values: [...values, exceptId],
  })
  return { bytes: Number(sums?.bytes ?? 0), withPatterns: Number(sums?.patterns ?? 0) }
}
