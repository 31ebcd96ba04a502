import { insertAudit } from '../db/audit.js'
import type { Actor } from '../domain/actor.js'
import { companyExists, findCompany, insertCompany, type Company } from '../db/companies.js'
import { inTransaction } from '../db/connection/connection.js'
import type { Deps } from '../process/deps.js'
import { checkName } from '../domain/key/fields.js'
import { notFound } from '../domain/errors.js'
import { isId, newId } from '../domain/ids.js'

/**
 * Creates a company, the owner of users, keys and webhooks.
 *
 * @throws ApiError VALIDATION_ERROR for a name that is blank or too long
 */
export async function createCompany(
  { db, clock }: Deps,
  actor: Actor,
  input: { readonly name: string },
): Promise<{ id: string }> {
  const company = { id: newId('company'), name: checkName(input.name), createdAt: clock() }
  await inTransaction(db, async (trx) => {
    await insertCompany(trx, company)
    await insertAudit(trx, {
      companyId: company.id,
      at: company.createdAt,
      actor,
      action: 'company.create',
      targetId: company.id,
    })
  })
  return { id: company.id }
}

/** @throws ApiError NOT_FOUND */
export async function showCompany({ db }: Deps, id: string): Promise<Company> {
  const company = isId('company', id) ? await findCompany(db, id) : undefined
  if (!company) throw notFound('Company')
  return company
}

/** @throws ApiError NOT_FOUND where no company has the id */
export async function requireCompany({ db }: Pick<Deps, 'db'>, id: string): Promise<void> {
  if (!isId('company', id) || !(await companyExists(db, id))) throw notFound('Company')
}
