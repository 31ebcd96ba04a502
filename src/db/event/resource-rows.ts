import { randomInt } from 'node:crypto'
import type { Fields, ResourceFamily, ResourceRecord } from '../../domain/event/resources.ts'
import { type Tenant, tenantKey, type Environment } from '../../domain/tenant.ts'
import type { Db, SystemDb } from '../connection/connection.ts'
import { insertRows, run, type Statement, addingUp, readRows, sql } from '../connection/statements.ts'
import { ofTenant, ofTenantSql } from '../conditions.ts'

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

/**
 * How many rows the counter of a tenant and family has. A writer takes one at random, so that simultaneous creations rarely
 * wait.
 */
const SHARDS = 16

/**
 * Adds to the number of records of a family. Call it late in the transaction of the change, because other changes of the
 * tenant need the same row.
 */
export async function addToResourceCounter(
  trx: Db,
  tenant: Tenant,
  family: ResourceFamily,
  records: number,
): Promise<void> {
  await run(trx, resourceCounterRows([{ tenant, family, records }]))
}

/** By how much the number of a tenant's records changes. */
type ResourceCount = {
  readonly tenant: Tenant
  readonly family: ResourceFamily
  readonly records: number
}

/** The statement of addToResourceCounter for several counters. They are in key order, so that two batches cannot deadlock. */
export const resourceCounterRows = (counts: readonly ResourceCount[]): Statement =>
  insertRows(
    'resource_counters',
    merge(counts).map(({ tenant, family, records }) => ({
      ...ofTenant(tenant),
      family,
      shard: randomInt(SHARDS),
      records,
    })),
    addingUp(['records']),
  )

function merge(counts: readonly ResourceCount[]): ResourceCount[] {
  const merged = new Map<string, ResourceCount>()
  for (const count of counts) {
    const key = `${tenantKey(count.tenant)} ${count.family}`
    merged.set(key, { ...count, records: count.records + (merged.get(key)?.records ?? 0) })
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
}

/** The number of records of a family: the sum of its counters. */
export async function readResourceCounter(db: Db, tenant: Tenant, family: ResourceFamily): Promise<number> {
  const [row] = await readRows<{ records: string | number | null }>(db)`
    SELECT SUM(records) AS records FROM resource_counters WHERE ${ofTenantSql(tenant)} AND family = ${family}`
  return Math.max(0, Number(row?.records ?? 0))
}

/** The next company in the order of ids. Begin with ''; undefined: there is no further company. */
export async function findNextCompany(db: SystemDb, after: string): Promise<string | undefined> {
  const [company] = await readRows<{ id: string }>(db)`
    SELECT id FROM companies WHERE id > ${after} ORDER BY id LIMIT 1`
  return company?.id
}

/**
 * Compares the record counters of a company with its records, and corrects the counters. They differ if a process of a
 * former release, which does not know the counters, wrote at the same time.
 *
 * It reads records and counters in one snapshot, and adds the difference afterwards. So no writer has to wait, and what
 * is written between the read and the addition is counted as well.
 *
 * @returns how many counters were wrong
 */
export async function correctTotals(db: SystemDb, companyId: string): Promise<number> {
  const drifts = await db.transaction((trx) => findDrifts(trx, companyId), {
    isolationLevel: 'repeatable read',
  })
  for (const { tenant, family, records } of drifts) {
    await addToResourceCounter(db, tenant, family, records)
  }
  return drifts.length
}

/** The counters that differ from the rows, and how many records each of them lacks. */
async function findDrifts(trx: Db, companyId: string): Promise<ResourceCount[]> {
  const sums = async (table: Statement, sum: Statement): Promise<ResourceCount[]> => {
    const rows = await readRows<SumRow>(trx)`
      SELECT environment, family, ${sum} AS records FROM ${table} WHERE company_id = ${companyId}
       GROUP BY environment, family`
    return rows.map(({ environment, family, records }) => ({
      tenant: { companyId, environment },
      family,
      records: Number(records),
    }))
  }
  const counted = await sums(sql`resource_counters`, sql`-SUM(records)`)
  const drifts = merge([...(await sums(sql`resources`, sql`COUNT(*)`)), ...counted])
  return drifts.filter(({ records }) => records !== 0)
}

type SumRow = { environment: Environment; family: ResourceFamily; records: number | string }
