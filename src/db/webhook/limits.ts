import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { ofTenantSql } from '../conditions.ts'
import { execute, readRows, sql } from '../connection/statements.ts'

const WINDOW_MS = 3_600_000

/**
 * Counts a switch of the webhook: an activation, a deactivation, or a change of its event types. The first switch begins an
 * hour. Call it in the transaction of the change, which has locked the webhook.
 *
 * @param most an hour may have at most this many switches
 * @returns undefined if the switch is allowed, otherwise the end of the hour
 */
export async function countSwitch(
  trx: Db,
  tenant: Tenant,
  id: string,
  { most, now }: { readonly most: number; readonly now: Date },
): Promise<Date | undefined> {
  const anHourAgo = new Date(now.getTime() - WINDOW_MS)
  const isNewHour = sql`(switches_since IS NULL OR switches_since <= ${anHourAgo})`
  const isOwn = sql`id = ${id} AND ${ofTenantSql(tenant)}`
  // MySQL and MariaDB assign columns in this order, and each assignment sees the new values of the columns before it.
  const counted = await execute(trx)`
    UPDATE webhooks
       SET switches = IF(${isNewHour}, 1, switches + 1), switches_since = IF(${isNewHour}, ${now}, switches_since)
     WHERE ${isOwn} AND (switches < ${most} OR ${isNewHour})`
  if (counted > 0) return undefined
  const [row] = await readRows<{ switches_since: Date }>(trx)`
    SELECT switches_since FROM webhooks WHERE ${isOwn}`
  return row && new Date(row.switches_since.getTime() + WINDOW_MS)
}

/**
 * How many bytes of JSON the filters of the tenant's webhooks have together, and how many of them have a $regex. It
 * leaves out the webhook `exceptId`.
 */
export async function sumFilters(
  db: Db,
  tenant: Tenant,
  exceptId: string,
): Promise<{ readonly bytes: number; readonly withPatterns: number }> {
  const [sums] = await readRows<{ bytes: number | string | null; patterns: number | string | null }>(db)`
    SELECT SUM(LENGTH(filter)) AS bytes, SUM(filter LIKE '%"$regex"%') AS patterns FROM webhooks
     WHERE ${ofTenantSql(tenant)} AND deleted_at IS NULL AND filter IS NOT NULL AND id <> ${exceptId}`
  return { bytes: Number(sums?.bytes ?? 0), withPatterns: Number(sums?.patterns ?? 0) }
}
