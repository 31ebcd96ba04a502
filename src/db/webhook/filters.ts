import type { Tenant } from '../../domain/tenant.ts'
import type { CompiledFilter } from '../../domain/webhook/filter/compile.ts'
import type { Filter } from '../../domain/webhook/filter/condition.ts'
import { compileFilter } from '../../domain/webhook/filter/known.ts'
import type { Db } from '../connection/connection.ts'
import { ofTenant } from '../tenant.ts'

/** The filter of a webhook as it is now, compiled; null when it has none. */
export async function findFilter(db: Db, tenant: Tenant, webhookId: string): Promise<CompiledFilter | null> {
  const row: { filter: string | null } | undefined = await db('webhooks')
    .where({ ...ofTenant(tenant), id: webhookId })
    .first('filter')
  return row?.filter ? compileFilter(JSON.parse(row.filter) as Filter) : null
}
