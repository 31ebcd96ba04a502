import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { readRows } from '../connection/statements.ts'
import { ofTenant, ofTenantSql } from '../tenant.ts'

/** The filter of a webhook as it is now, as JSON text; null when it has none. */
export async function findFilter(db: Db, tenant: Tenant, webhookId: string): Promise<string | null> {
  const row: { filter: string | null } | undefined = await db('webhooks')
    .where({ ...ofTenant(tenant), id: webhookId })
    .first('filter')
  return row?.filter ?? null
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
