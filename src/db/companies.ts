import type { Db } from './connection/connection.ts'
import type { Company } from '../domain/tenant.ts'

export async function insertCompany(
  db: Db,
  company: Pick<Company, 'id' | 'name' | 'createdAt'>,
): Promise<void> {
  await db('companies').insert({ id: company.id, name: company.name, created_at: company.createdAt })
}

/** A row of `companies`. */
export type CompanyRow = {
  id: string
  name: string
  created_at: Date
  suspended_at: Date | null
  second_factor_required_at: Date | null
}

export const toCompany = (row: CompanyRow): Company => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at,
  suspendedAt: row.suspended_at,
  secondFactorRequiredAt: row.second_factor_required_at,
})

export async function findCompany(db: Db, companyId: string): Promise<Company | undefined> {
  const row = await db('companies').where({ id: companyId }).first<CompanyRow | undefined>()
  return row && toCompany(row)
}

/**
 * Like findCompany, but locks the row until the transaction ends. So two creations cannot both take the last place under a
 * limit.
 */
export async function lockCompany(trx: Db, companyId: string): Promise<Company | undefined> {
  const row = await trx('companies').where({ id: companyId }).forUpdate().first<CompanyRow | undefined>()
  return row && toCompany(row)
}

/** Suspends a company from a time on; null ends its suspension. Call it in a transaction that has locked the company. */
export async function setSuspendedAt(trx: Db, companyId: string, suspendedAt: Date | null): Promise<void> {
  await trx('companies').where({ id: companyId }).update({ suspended_at: suspendedAt })
}

/**
 * From the given time on, the company's users must have a second factor. null ends this requirement. Call it in a
 * transaction that has locked the company.
 */
export async function setSecondFactorRequiredAt(
  trx: Db,
  companyId: string,
  since: Date | null,
): Promise<void> {
  await trx('companies').where({ id: companyId }).update({ second_factor_required_at: since })
}

/** Whether the company is suspended; false if there is no such company. */
export async function isSuspended(db: Db, companyId: string): Promise<boolean> {
  const row = await db('companies')
    .where({ id: companyId })
    .whereNotNull('suspended_at')
    .first<object | undefined>('id')
  return row !== undefined
}

/** Tables whose rows have a company, an id and a name. */
export type NamedTable = 'api_keys' | 'notice_channels' | 'users' | 'webhooks'

/** The names of the company's rows in a table, by id. Deleted webhooks, and users who left, are among them. */
export async function listNames(
  db: Db,
  table: NamedTable,
  companyId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db(table)
    .where({ company_id: companyId })
    .whereIn('id', [...ids])
    .whereNotNull('name')
    .select<{ id: string; name: string }[]>('id', 'name')
  return new Map(rows.map(({ id, name }) => [id, name]))
}
