import { pageOffset, type Page, type PageRequest } from '../domain/pagination.js'
import type { Fields, ResourceFamily, ResourceRecord } from '../domain/resources.js'
import type { Tenant } from '../domain/tenant.js'
import type { Db } from './connection.js'
import { ofTenant } from './tenant.js'

type ResourceRow = {
  id: string
  company_id: string
  environment: string
  family: ResourceFamily
  fields: string
  created_at: Date
  updated_at: Date
}

const records = (db: Db, tenant: Tenant, family: ResourceFamily) =>
  db<ResourceRow>('resources').where({ ...ofTenant(tenant), family })

export async function insertResource(trx: Db, tenant: Tenant, record: ResourceRecord): Promise<void> {
  await trx<ResourceRow>('resources').insert({
    ...ofTenant(tenant),
    id: record.id,
    family: record.family,
    fields: JSON.stringify(record.fields),
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  })
}

/** The record of the tenant and family, or undefined. */
export async function findResource(
  db: Db,
  tenant: Tenant,
  family: ResourceFamily,
  id: string,
): Promise<ResourceRecord | undefined> {
  const [row] = await records(db, tenant, family).where({ id }).limit(1)
  return row && toResource(row)
}

/** As findResource, holding the row until the transaction ends. */
export async function lockResource(
  trx: Db,
  tenant: Tenant,
  family: ResourceFamily,
  id: string,
): Promise<ResourceRecord | undefined> {
  const [row] = await records(trx, tenant, family).where({ id }).limit(1).forUpdate()
  return row && toResource(row)
}

/** Writes the fields and updated_at of a record whose row the caller holds. */
export async function updateResource(trx: Db, tenant: Tenant, record: ResourceRecord): Promise<void> {
  await records(trx, tenant, record.family)
    .where({ id: record.id })
    .update({ fields: JSON.stringify(record.fields), updated_at: record.updatedAt })
}

export async function deleteResource(
  trx: Db,
  tenant: Tenant,
  family: ResourceFamily,
  id: string,
): Promise<void> {
  await records(trx, tenant, family).where({ id }).delete()
}

/** Newest first. */
export async function listResources(
  db: Db,
  tenant: Tenant,
  family: ResourceFamily,
  page: PageRequest,
): Promise<Page<ResourceRecord>> {
  const [count] = await records(db, tenant, family).count({ total: '*' })
  const rows = await records(db, tenant, family)
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(page.limit)
    .offset(pageOffset(page))
    .select<ResourceRow[]>('*')
  return { ...page, total: Number(count?.total ?? 0), items: rows.map(toResource) }
}

const toResource = (row: ResourceRow): ResourceRecord => ({
  id: row.id,
  family: row.family,
  fields: JSON.parse(row.fields) as Fields,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
