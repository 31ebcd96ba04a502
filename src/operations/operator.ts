import { findKeyCompany, findUserCompany } from '../db/system/owners.js'
import { notFound } from '../domain/errors.js'
import { isId } from '../domain/ids.js'
import type { Deps } from '../process/deps.js'

/**
 * Finds the company that an id belongs to. Only the operator's command line may ask this across companies, so this is the
 * one file of the operations that imports db/system.
 */

/** The company of a key. @throws ApiError NOT_FOUND */
export async function companyOfKey({ db }: Deps, id: string): Promise<string> {
  const companyId = isId('apiKey', id) ? await findKeyCompany(db, id) : undefined
  if (companyId === undefined) throw notFound('API key')
  return companyId
}

/** The company of a user who has not left. @throws ApiError NOT_FOUND */
export async function companyOfUser({ db }: Deps, id: string): Promise<string> {
  const companyId = isId('user', id) ? await findUserCompany(db, id) : undefined
  if (companyId === undefined) throw notFound('User')
  return companyId
}
