import { auditAs } from '../audit.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { insertUser } from '../../db/user/users.ts'
import type { Actor } from '../../domain/actor.ts'
import { isDuplicate } from '../../db/connection/errors.ts'
import { ApiError } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { checkName } from '../../domain/key/fields.ts'
import { checkAllowedScopes } from '../../domain/user/roles.ts'
import { checkEmail, type User, type UserRole } from '../../domain/user/user.ts'
import type { Deps } from '../../deps/deps.ts'
import { requireCompany } from '../companies.ts'
import { requireRole } from './authority.ts'
import { hashNewPassword } from './password-hash.ts'

export type UserInput = {
  readonly email: string
  readonly name: string
  readonly password: string
  readonly role: UserRole
  /** Write scopes that a member may give to own keys; none unless given. */
  readonly allowedScopes?: readonly string[]
}

/**
 * Makes somebody a member of a company.
 *
 * @throws ApiError NOT_FOUND without the company, VALIDATION_ERROR, CONFLICT when a member has the email, or
 *   INSUFFICIENT_PERMISSIONS
 */
export async function createUser(
  { db, clock }: Deps,
  companyId: string,
  actor: Actor,
  input: UserInput,
): Promise<User> {
  const user = await toUser(companyId, input, clock())
  try {
    await inTransaction(db, async (trx) => {
      await requireCompany({ db: trx }, companyId)
      await requireRole(trx, companyId, actor, 'users.create')
      await insertUser(trx, user)
      await auditAs(user, actor)(trx, 'user.create', user.id, user.createdAt, { role: user.role })
    })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    throw new ApiError('CONFLICT', 'A member of the company has this email.', { cause: error })
  }
  return user
}

async function toUser(companyId: string, input: UserInput, now: Date): Promise<User> {
  return {
    id: newId('user'),
    companyId,
    email: checkEmail(input.email),
    name: checkName(input.name),
    passwordHash: await hashNewPassword(input.password),
    role: input.role,
    allowedScopes: checkAllowedScopes(input.allowedScopes ?? []),
    leftAt: null,
    createdAt: now,
  }
}
