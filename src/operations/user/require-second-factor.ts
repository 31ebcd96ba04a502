import { auditAs } from '../audit.ts'
import { databaseNow } from '../../db/clock.ts'
import { setSecondFactorRequiredAt, type Company } from '../../db/companies.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { findUser } from '../../db/user/users.ts'
import type { Actor } from '../../domain/actor.ts'
import { changeDetails } from '../../domain/audit/entry.ts'
import { ApiError } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import type { Deps } from '../../deps/deps.ts'
import { lockCompanyOrRefuse } from '../companies.ts'
import { requireRole } from './authority.ts'

/**
 * Asks every user of the company for a second factor, or no more. Sessions go on, but from the next request on a user without
 * one can only set it up. API keys are not concerned.
 *
 * @throws ApiError NOT_FOUND, INSUFFICIENT_PERMISSIONS, and INVALID_REQUEST when a user asks for it who has none
 */
export async function requireSecondFactor(
  { db }: Deps,
  companyId: string,
  actor: Actor,
  isRequired: boolean,
): Promise<Company> {
  return inTransaction(db, async (trx) => {
    await requireRole(trx, companyId, actor, 'company.update')
    const company = await lockCompanyOrRefuse(trx, companyId)
    if ((company.secondFactorRequiredAt !== null) === isRequired) return company
    const user = isId('user', actor.id) ? await findUser(trx, companyId, actor.id) : undefined
    if (isRequired && user?.hasSecondFactor === false) {
      throw new ApiError(
        'INVALID_REQUEST',
        'Switch your own second factor on first: otherwise you would lock yourself out.',
      )
    }
    const now = await databaseNow(trx)
    const since = isRequired ? now : null
    await setSecondFactorRequiredAt(trx, companyId, since)
    const name = 'second_factor_required'
    const details = changeDetails({ [name]: !isRequired }, { [name]: isRequired })
    await auditAs({ companyId }, actor)(trx, 'company.update', companyId, now, details)
    return { ...company, secondFactorRequiredAt: since }
  })
}
