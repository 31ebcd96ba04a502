import { randomInt } from 'node:crypto'
import type { ResourceFamily } from '../../domain/event/resources.ts'
import { tenantKey, type Tenant, type Environment } from '../../domain/tenant.ts'
import type { Db, SystemDb } from '../connection/connection.ts'
import { insertRows, addingUp, readRows, run, sql, type Statement } from '../connection/statements.ts'
import { ofTenant, ofTenantSql } from '../conditions.ts'

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
 * It reads records and counters in one snapshot, and adds the difference afterwards. So no writer has to wait, and what is
 * written between the two is counted as well.
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
