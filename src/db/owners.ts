import type { Company, Tenant } from '../domain/tenant.ts'
import { toCompany, type CompanyRow } from './companies.ts'
import { tenantOf, type TenantRow } from './conditions.ts'
import type { SystemDb } from './connection/connection.ts'

const TENANT = ['company_id', 'environment'] as const

/** Companies with ids below the given one, in descending order of their ids. The ids of new companies are the largest. */
export async function listCompanies(
  db: SystemDb,
  { limit, below }: { limit: number; below: string | undefined },
): Promise<Company[]> {
  const query = db('companies').orderBy('id', 'desc').limit(limit)
  const rows = await (below === undefined ? query : query.where('id', '<', below)).select<CompanyRow[]>('*')
  return rows.map(toCompany)
}

/** The company of a key; undefined if no key has the id. */
export async function findKeyCompany(db: SystemDb, id: string): Promise<string | undefined> {
  const row = await db('api_keys').where({ id }).first<{ company_id: string } | undefined>('company_id')
  return row?.company_id
}

/** The tenant of a webhook; undefined if no webhook has the id, or it is deleted. */
export async function findWebhookTenant(db: SystemDb, id: string): Promise<Tenant | undefined> {
  const row = await db('webhooks')
    .where({ id, deleted_at: null })
    .first<TenantRow | undefined>(...TENANT)
  return row && tenantOf(row)
}

type Owner = { readonly tenant: Tenant; readonly webhookId: string }

/** The tenant and the webhook of a delivery; undefined if no delivery has the id. */
export const findDeliveryOwner = (db: SystemDb, id: string): Promise<Owner | undefined> =>
  findOwner(db, 'deliveries', id)

/** The tenant and the webhook of a recovery; undefined if no recovery has the id. */
export const findRecoveryOwner = (db: SystemDb, id: string): Promise<Owner | undefined> =>
  findOwner(db, 'recoveries', id)

async function findOwner(
  db: SystemDb,
  table: 'deliveries' | 'recoveries',
  id: string,
): Promise<Owner | undefined> {
  const row = await db(table)
    .where({ id })
    .first<(TenantRow & { webhook_id: string }) | undefined>(...TENANT, 'webhook_id')
  return row && { tenant: tenantOf(row), webhookId: row.webhook_id }
}

/** The company of a user; undefined if no user has the id, or the user has left. */
export async function findUserCompany(db: SystemDb, id: string): Promise<string | undefined> {
  const row = await db('users')
    .where({ id, left_at: null })
    .first<{ company_id: string } | undefined>('company_id')
  return row?.company_id
}
