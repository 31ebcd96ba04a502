import type { Db } from './connection/connection.js'

export type Company = { readonly id: string; readonly name: string; readonly createdAt: Date }

export async function insertCompany(db: Db, company: Company): Promise<void> {
  await db('companies').insert({ id: company.id, name: company.name, created_at: company.createdAt })
}

/** A row of `companies`. */
export type CompanyRow = { id: string; name: string; created_at: Date }

export const toCompany = ({ id, name, created_at }: CompanyRow): Company => ({
  id,
  name,
  createdAt: created_at,
})

export async function findCompany(db: Db, id: string): Promise<Company | undefined> {
  const row = await db('companies').where({ id }).first<CompanyRow | undefined>()
  return row && toCompany(row)
}

/** Whether the company exists. `lock` locks its row, so that creations which a limit counts run one after the other. */
export async function companyExists(db: Db, id: string, { lock = false } = {}): Promise<boolean> {
  const query = db('companies').where({ id }).select('id').first<{ id: string } | undefined>()
  return (await (lock ? query.forUpdate() : query)) !== undefined
}
