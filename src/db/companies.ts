import type { Db } from './connection/connection.js'

export type Company = { readonly id: string; readonly name: string; readonly createdAt: Date }

export async function insertCompany(db: Db, company: Company): Promise<void> {
  await db('companies').insert({ id: company.id, name: company.name, created_at: company.createdAt })
}

/** Whether the company exists. `lock` locks its row, so that creations which a limit counts run one after the other. */
export async function companyExists(db: Db, id: string, { lock = false } = {}): Promise<boolean> {
  const query = db('companies').where({ id }).select('id').first<{ id: string } | undefined>()
  return (await (lock ? query.forUpdate() : query)) !== undefined
}
