import type { Knex } from 'knex'
import type { ResourceFamily } from '../../domain/event/resources.ts'
import type { Environment, Tenant } from '../../domain/tenant.ts'
import type { SystemDb } from '../connection/connection.ts'
import { addToResourceCounter } from './resource-counters.ts'

type Sum = { readonly environment: Environment; readonly family: ResourceFamily; readonly records: number }

/** A counter that differs from the rows, and how many records it lacks. */
type Drift = { readonly tenant: Tenant; readonly family: ResourceFamily; readonly records: number }

/** The next company in the order of ids: the first one after '', undefined after the last one. */
export async function findNextCompany(db: SystemDb, after: string): Promise<string | undefined> {
  const company = await db('companies')
    .where('id', '>', after)
    .orderBy('id')
    .first<{ id: string } | undefined>('id')
  return company?.id
}

/**
 * Compares the record counters of a company with its records and corrects them. They differ when a process of a former
 * release, which does not know the counters, has written beside this one.
 *
 * It reads records and counters in one snapshot, and adds the difference afterwards. So no writer waits, and what is
 * written meanwhile is counted as well.
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

async function findDrifts(trx: Knex.Transaction, companyId: string): Promise<Drift[]> {
  const sums = async (table: string, sum: string): Promise<Sum[]> => {
    const rows: (Omit<Sum, 'records'> & { records: number | string })[] = await trx(table)
      .where({ company_id: companyId })
      .groupBy('environment', 'family')
      .select('environment', 'family', trx.raw(`${sum} AS records`))
    return rows.map((row) => ({ ...row, records: Number(row.records) }))
  }
  const counted = await sums('resource_counters', 'SUM(records)')
  const differences = new Map<string, Sum>()
  for (const sum of await sums('resources', 'COUNT(*)')) differences.set(keyOf(sum), sum)
  for (const sum of counted) {
    const records = (differences.get(keyOf(sum))?.records ?? 0) - sum.records
    differences.set(keyOf(sum), { ...sum, records })
  }
  return [...differences.values()]
    .filter(({ records }) => records !== 0)
    .map(({ environment, family, records }) => ({ tenant: { companyId, environment }, family, records }))
}

const keyOf = ({ environment, family }: Sum): string => `${environment} ${family}`
