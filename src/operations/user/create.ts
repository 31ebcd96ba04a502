import { insertAudit } from '../../db/audit.js'
import { inTransaction } from '../../db/connection/connection.js'
import { insertUser } from '../../db/users.js'
import type { Actor } from '../../domain/actor.js'
import { isDuplicate } from '../../domain/database-errors.js'
import { ApiError } from '../../domain/errors.js'
import { newId } from '../../domain/ids.js'
import { checkName } from '../../domain/key/fields.js'
import { checkAllowedScopes } from '../../domain/user/key-rights.js'
import { normalEmail, type User, type UserRole } from '../../domain/user/user.js'
import type { Deps } from '../../process/deps.js'
import { requireCompany } from '../companies.js'
import { keepAnswer, type AnswerToKeep } from '../idempotency.js'
import { requireRole } from './authority.js'
import { hashNewPassword } from './password-hash.js'

const EMAIL = /^[^\s@\0]+@[^\s@\0]+$/u
const EMAIL_LENGTH = 255

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
  kept?: AnswerToKeep<User>,
): Promise<User> {
  const user = await toUser(companyId, input, clock())
  try {
    await inTransaction(db, async (trx) => {
      await requireCompany({ db: trx }, companyId)
      await requireRole(trx, companyId, actor, 'users.create')
      await insertUser(trx, user)
      await insertAudit(trx, {
        companyId,
        at: user.createdAt,
        actor,
        action: 'user.create',
        targetId: user.id,
        details: { role: user.role },
      })
      await keepAnswer(trx, kept, user)
    })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    throw new ApiError('CONFLICT', 'A member of the company has this email.', { cause: error })
  }
  return user
}

async function toUser(companyId: string, input: UserInput, now: Date): Promise<User> {
  const email = normalEmail(input.email)
  if (!EMAIL.test(email) || email.length > EMAIL_LENGTH) {
    throw new ApiError('VALIDATION_ERROR', '"email" must be an email address.')
  }
  return {
    id: newId('user'),
    companyId,
    email,
    name: checkName(input.name),
    passwordHash: await hashNewPassword(input.password),
    role: input.role,
    allowedScopes: checkAllowedScopes(input.allowedScopes ?? []),
    leftAt: null,
    createdAt: now,
  }
}
