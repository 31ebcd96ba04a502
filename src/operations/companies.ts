import { insertAudit } from '../db/audit.ts'
import {
  findCompany,
  insertCompany,
  lockCompany,
  setSuspendedAt,
  setSecondFactorRequiredAt,
} from '../db/companies.ts'
import { inTransaction, type Db } from '../db/connection/connection.ts'
import { giveTurns } from '../db/recovery/turns.ts'
import { enqueueCommands } from '../db/outbox/outbox.ts'
import { PAGE_QUEUE } from '../db/outbox/queues.ts'
import { databaseNow } from '../db/clock.ts'
import { findUser } from '../db/user/users.ts'
import type { Deps } from '../deps/deps.ts'
import type { Actor } from '../domain/actor.ts'
import type { AuditAction } from '../domain/audit/actions.ts'
import { checkName } from '../domain/key/fields.ts'
import { invalidRequest, orNotFound } from '../domain/errors.ts'
import { isId, newId } from '../domain/ids.ts'
import type { Company } from '../domain/tenant.ts'
import { changeDetails } from '../domain/audit/entry.ts'
import { inRingingTransaction } from './ringing-transaction.ts'
import { requireRole } from './user/authority.ts'

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
    await audit(trx, actor, 'company.create', company.id, company.createdAt)
  })
  return { id: company.id }
}

/** The company. @throws ApiError NOT_FOUND */
export const requireCompany = async ({ db }: Pick<Deps, 'db'>, id: string): Promise<Company> =>
  orNotFound(isId('company', id) ? await findCompany(db, id) : undefined, 'Company')

/**
 * Suspends a company. From the next request on, its keys are refused, and nothing is sent for it. Its deliveries wait,
 * and none is lost. If the company is suspended already, it stays as it is.
 *
 * @throws ApiError NOT_FOUND
 */
export async function suspendCompany({ db, clock }: Deps, actor: Actor, id: string): Promise<Company> {
  return inTransaction(db, async (trx) => {
    const company = await lockCompanyOrRefuse(trx, id)
    if (company.suspendedAt) return company
    const now = clock()
    await setSuspendedAt(trx, id, now)
    await audit(trx, actor, 'company.suspend', id, now)
    return { ...company, suspendedAt: now }
  })
}

/**
 * Ends the suspension of a company. Its keys work from the next request on. A command in the outbox sends what waits
 * for the company's active webhooks. A company that is not suspended stays as it is.
 *
 * @throws ApiError NOT_FOUND
 */
export async function resumeCompany(deps: Deps, actor: Actor, id: string): Promise<Company> {
  return inRingingTransaction(deps, async (trx) => {
    const company = await lockCompanyOrRefuse(trx, id)
    if (!company.suspendedAt) return company
    await setSuspendedAt(trx, id, null)
    const command = { kind: 'resume-company' as const, targetId: id, queue: PAGE_QUEUE }
    await enqueueCommands(trx, { companyId: id }, [command])
    const details = { suspended_at: company.suspendedAt.toISOString() }
    await audit(trx, actor, 'company.resume', id, deps.clock(), details)
    await giveTurns(trx, id)
    return { ...company, suspendedAt: null }
  })
}

const audit = (trx: Db, actor: Actor, action: AuditAction, id: string, at: Date, details = {}) =>
  insertAudit(trx, { companyId: id, at, actor, action, targetId: id, details })

/** The company, locked until the transaction ends. @throws ApiError NOT_FOUND */
export const lockCompanyOrRefuse = async (trx: Db, id: string): Promise<Company> =>
  orNotFound(isId('company', id) ? await lockCompany(trx, id) : undefined, 'Company')

/** @throws ApiError NOT_FOUND, and INVALID_REQUEST when the company is suspended */
export async function requireUnsuspended(deps: Deps, id: string): Promise<void> {
  const { suspendedAt } = await requireCompany(deps, id)
  if (!suspendedAt) return
  throw invalidRequest(`The company is suspended since ${suspendedAt.toISOString()}: resume it first.`)
}

/**
 * Requires a second factor of every user of the company, or no longer requires it. Sessions go on, but from the next
 * request on, a user without a second factor can do nothing except set one up. API keys go on as before.
 *
 * @throws ApiError NOT_FOUND, INSUFFICIENT_PERMISSIONS; INVALID_REQUEST when a user without a second factor requires it
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
    if (isRequired && user?.hasSecondFactor === false)
      throw invalidRequest('Switch your own second factor on first: otherwise you would lock yourself out.')
    const now = await databaseNow(trx)
    const since = isRequired ? now : null
    await setSecondFactorRequiredAt(trx, companyId, since)
    const name = 'second_factor_required'
    const details = changeDetails({ [name]: !isRequired }, { [name]: isRequired })
    await audit(trx, actor, 'company.update', companyId, now, details)
    return { ...company, secondFactorRequiredAt: since }
  })
}
