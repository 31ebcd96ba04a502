import { randomInt } from 'node:crypto'
import type { ResourceFamily } from '../../domain/event/resources.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { insertStatement, readRows, run, type Statement } from '../connection/statements.ts'
import { ofTenantSql } from '../tenant.ts'

/** Rows per tenant and family. A writer takes one at random, so that simultaneous creations rarely wait. */
const SHARDS = 16

/**
 * Adds to the number of records of a family. Call it late in the transaction of the change: the row is shared with
 * other changes of the tenant.
 */
export async function addToResourceCounter(
  trx: Db,
  tenant: Tenant,
  family: ResourceFamily,
  records: number,
): Promise<void> {
  await run(trx, resourceCounterRows([{ tenant, family, records }]))
}

/** A change of the number of a tenant's records. */
export type ResourceCount = {
  readonly tenant: Tenant
  readonly family: ResourceFamily
  readonly records: number
}

/** The statement of addToResourceCounter. It goes in key order, so that two batches cannot deadlock. */
export const resourceCounterRows = (counts: readonly ResourceCount[]): Statement =>
  insertStatement(
    'resource_counters (company_id, environment, family, shard, records)',
    '(?, ?, ?, ?, ?)',
    merge(counts).map(({ tenant: { companyId, environment }, family, records }) => [
      companyId,
      environment,
      family,
      randomInt(SHARDS),
      records,
    ]),
    'ON DUPLICATE KEY UPDATE records = records + VALUES(records)',
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
  const { sql, values } = ofTenantSql(tenant)
  const [row] = await readRows<{ records: string | number | null }>(db, {
    sql: `SELECT SUM(records) AS records FROM resource_counters WHERE ${sql} AND family = ?`,
    values: [...values, family],
  })
  return Math.max(0, Number(row?.records ?? 0))
}
