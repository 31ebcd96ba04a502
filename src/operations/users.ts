import { hash } from '@node-rs/argon2'
import { revokeKeys } from '../db/key/keys.js'
import { insertAudit } from '../db/audit.js'
import type { Actor } from '../domain/actor.js'
import { databaseNow } from '../db/clock.js'
import { inTransaction } from '../db/connection/connection.js'
import { isDuplicate } from '../domain/database-errors.js'
import { insertUser, listMembers, markUserLeft, type Member } from '../db/users.js'
import type { User, UserRole } from '../domain/user.js'
import { requireCompany } from './companies.js'
import type { Deps } from '../process/deps.js'
import { checkName } from '../domain/key/fields.js'
import { ApiError, notFound } from '../domain/errors.js'
import { isId, newId } from '../domain/ids.js'
import { cursorPage, listCursor, readPlace } from '../domain/list-cursor.js'
import type { CursorPage, CursorRequest } from '../domain/pagination.js'

/** OWASP Password Storage Cheat Sheet: argon2id (the package's default) with m = 46 MiB, t = 1, p = 1. */
const HASHING = { memoryCost: 47_104, timeCost: 1, parallelism: 1 }

/** OWASP ASVS 5.0, 6.2: at least 8 characters, no composition rules; an upper bound so that hashing stays cheap. */
const SHORTEST_PASSWORD = 8
const LONGEST_PASSWORD_BYTES = 1_024
const EMAIL = /^[^\s@\0]+@[^\s@\0]+$/u
const EMAIL_LENGTH = 255

export type UserInput = {
  readonly email: string
  readonly name: string
  readonly password: string
  readonly role: UserRole
}

/**
 * Makes somebody a member of a company.
 *
 * @throws ApiError NOT_FOUND without the company, VALIDATION_ERROR, or CONFLICT when a member has the email
 */
export async function createUser(
  { db, clock }: Deps,
  companyId: string,
  actor: Actor,
  input: UserInput,
): Promise<{ id: string }> {
  const user = await toUser(companyId, input, clock())
  try {
    await inTransaction(db, async (trx) => {
      await requireCompany({ db: trx }, companyId)
      await insertUser(trx, user)
      await insertAudit(trx, {
        companyId,
        at: user.createdAt,
        actor,
        action: 'user.create',
        targetId: user.id,
        details: { role: user.role },
      })
    })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    throw new ApiError('CONFLICT', 'A member of the company has this email.', { cause: error })
  }
  return { id: user.id }
}

/** Members of a company by email. @throws ApiError NOT_FOUND, VALIDATION_ERROR for a wrong cursor */
export async function listUsers(
  { db }: Deps,
  companyId: string,
  request: CursorRequest,
): Promise<CursorPage<Member>> {
  await requireCompany({ db }, companyId)
  const after = readPlace(request, 1, ([email]) => email) ?? ''
  const rows = await listMembers(db, companyId, { limit: request.limit + 1, after })
  return cursorPage(rows, request.limit, ({ email }) => listCursor(email))
}

async function toUser(companyId: string, input: UserInput, now: Date): Promise<User> {
  const email = input.email.trim().toLowerCase()
  if (!EMAIL.test(email) || email.length > EMAIL_LENGTH) {
    throw new ApiError('VALIDATION_ERROR', '"email" must be an email address.')
  }
  if (input.password.length < SHORTEST_PASSWORD) {
    throw new ApiError('VALIDATION_ERROR', `"password" must have at least ${SHORTEST_PASSWORD} characters.`)
  }
  if (Buffer.byteLength(input.password) > LONGEST_PASSWORD_BYTES) {
    throw new ApiError(
      'VALIDATION_ERROR',
      `"password" must not be larger than ${LONGEST_PASSWORD_BYTES} bytes.`,
    )
  }
  return {
    id: newId('user'),
    companyId,
    email,
    name: checkName(input.name),
    passwordHash: await hash(input.password, HASHING),
    role: input.role,
    leftAt: null,
    createdAt: now,
  }
}

/**
 * Ends a membership. In the same transaction every Personal key of the user is revoked, also one in its grace period. It
 * stays revoked if the user comes back. Shared keys go on.
 *
 * @throws ApiError NOT_FOUND when the user is unknown or has left
 */
export async function removeUser(
  { db, doorbell }: Deps,
  companyId: string,
  actor: Actor,
  id: string,
): Promise<{ revokedKeys: number }> {
  const removed = await inTransaction(db, async (trx) => {
    const now = await databaseNow(trx)
    if (!isId('user', id) || !(await markUserLeft(trx, companyId, id, now))) throw notFound('User')
    const personal = { user_id: id, type: 'Personal' as const }
    const revoked = await revokeKeys(trx, companyId, personal, { reason: 'user_left', now })
    const audit = { companyId, at: now, actor }
    await insertAudit(trx, {
      ...audit,
      action: 'user.remove',
      targetId: id,
      details: { revoked_keys: revoked.length },
    })
    for (const keyId of revoked) {
      const details = { reason: 'user_left', user_id: id }
      await insertAudit(trx, { ...audit, action: 'key.revoke', targetId: keyId, details })
    }
    return { revokedKeys: revoked.length }
  })
  doorbell.ring()
  return removed
}
