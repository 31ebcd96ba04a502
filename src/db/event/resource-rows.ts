import type { Fields, ResourceFamily, ResourceRecord } from '../../domain/event/resources.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { insertRows, run, type Statement } from '../connection/statements.ts'
import { ofTenant } from '../conditions.ts'

/** A row of `resources`. */
export type ResourceRow = {
  id: string
  company_id: string
  environment: string
  family: ResourceFamily
  fields: string
  revision: number
  created_at: Date
  updated_at: Date
}

const records = (db: Db, tenant: Tenant, family: ResourceFamily) =>
  db<ResourceRow>('resources').where({ ...ofTenant(tenant), family })

export async function insertResource(trx: Db, tenant: Tenant, record: ResourceRecord): Promise<void> {
  await run(trx, resourceRows([{ tenant, record }]))
}

/** The statement that inserts records of any tenants; at least one. */
export const resourceRows = (
  records: readonly { readonly tenant: Tenant; readonly record: ResourceRecord }[],
): Statement =>
  insertRows(
    'resources',
    records.map(({ tenant, record }) => ({
      ...ofTenant(tenant),
      id: record.id,
      family: record.family,
      fields: JSON.stringify(record.fields),
      revision: record.revision,
      created_at: record.createdAt,
      updated_at: record.updatedAt,
    })),
  )

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

/** Like findResource, but locks the row until the transaction ends. */
export async function lockResource(
  trx: Db,
  tenant: Tenant,
  family: ResourceFamily,
  id: string,
): Promise<ResourceRecord | undefined> {
  const [row] = await records(trx, tenant, family).where({ id }).limit(1).forUpdate()
  return row && toResource(row)
}

/** Writes the fields, the revision and updated_at of a record. The caller must have locked its row. */
export async function updateResource(
  trx: Db,
  tenant: Tenant,
  { id, family, fields, revision, updatedAt }: ResourceRecord,
): Promise<void> {
  await records(trx, tenant, family)
    .where({ id })
    .update({ fields: JSON.stringify(fields), revision, updated_at: updatedAt })
}

export async function deleteResource(
  trx: Db,
  tenant: Tenant,
  family: ResourceFamily,
  id: string,
): Promise<void> {
  await records(trx, tenant, family).where({ id }).delete()
}

export const toResource = (row: ResourceRow): ResourceRecord => ({
  id: row.id,
  family: row.family,
  fields: JSON.parse(row.fields) as Fields,
  revision: row.revision,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
