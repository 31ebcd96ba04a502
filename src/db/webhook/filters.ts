import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { ofTenant } from '../tenant.ts'

/** The filter of a webhook as it is now, as JSON text; null when it has none. */
export async function findFilter(db: Db, tenant: Tenant, webhookId: string): Promise<string | null> {
  const row: { filter: string | null } | undefined = await db('webhooks')
    .where({ ...ofTenant(tenant), id: webhookId })
    .first('filter')
  return row?.filter ?? null
}
