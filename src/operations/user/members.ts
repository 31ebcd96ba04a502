import { findUser, listMembers, insertUser, markUserLeft, type StoredUser } from '../../db/user/users.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { isDuplicate } from '../../db/connection/errors.ts'
import { databaseNow } from '../../db/clock.ts'
import { revokeKeys } from '../../db/key/keys.ts'
import { NO_TOTP, replaceRecoveryCodes, updateTotp } from '../../db/user/totp-rows.ts'
import { deleteSessionsOfUser } from '../../db/user/sessions.ts'
import { deleteMarks } from '../../db/notice/marks.ts'
import { deleteSavedFilters } from '../../db/user/saved-filters.ts'
import { endLinks, endLinksOfMaker } from '../../db/user/access-links.ts'
import type { Deps } from '../../deps/deps.ts'
import { conflict, invalidRequest, notFound, orNotFound } from '../../domain/errors.ts'
import { isId, newId } from '../../domain/ids.ts'
import { cursorPage, listCursor, readPlace } from '../../domain/list-cursor.ts'
import type { CursorPage, CursorRequest } from '../../domain/pagination.ts'
import type { Actor } from '../../domain/actor.ts'
import { checkName } from '../../domain/key/fields.ts'
import { checkAllowedScopes } from '../../domain/user/roles.ts'
import { checkEmail, type User, type UserRole } from '../../domain/user/user.ts'
import { requireCompany } from '../companies.ts'
import { auditAs } from '../audit.ts'
import { inRingingTransaction } from '../ringing-transaction.ts'
import { requireRole } from './authority.ts'
import { hashNewPassword } from './password-hash.ts'

/** Members of a company, ordered by email. @throws ApiError NOT_FOUND, VALIDATION_ERROR for a wrong cursor */
export async function listUsers(
  { db }: Deps,
  companyId: string,
  request: CursorRequest,
): Promise<CursorPage<StoredUser>> {
  await requireCompany({ db }, companyId)
  const after = readPlace(request, 1, ([email]) => email) ?? ''
  const rows = await listMembers(db, companyId, { limit: request.limit + 1, after })
  return cursorPage(rows, request.limit, ({ email }) => listCursor(email))
}

/** One member of the company. @throws ApiError NOT_FOUND when the user is unknown or has left */
export const showUser = async ({ db }: Deps, companyId: string, id: string): Promise<StoredUser> =>
  orNotFound(isId('user', id) ? await findUser(db, companyId, id) : undefined, 'User')

export type UserInput = {
  readonly email: string
  readonly name: string
  readonly password: string
  readonly role: UserRole
  /** The write scopes that a member may give to keys of their own; by default none. */
  readonly allowedScopes?: readonly string[]
}

/**
 * Makes somebody a member of a company.
 *
 * @throws ApiError NOT_FOUND for an unknown company, VALIDATION_ERROR, CONFLICT when a member has the email already,
 *   INSUFFICIENT_PERMISSIONS
 */
export async function createUser(
  { db, clock }: Deps,
  companyId: string,
  actor: Actor,
  input: UserInput,
): Promise<User> {
  const user: User = {
    id: newId('user'),
    companyId,
    createdAt: clock(),
    email: checkEmail(input.email),
    name: checkName(input.name),
    passwordHash: await hashNewPassword(input.password),
    role: input.role,
    allowedScopes: checkAllowedScopes(input.allowedScopes ?? []),
    leftAt: null,
  }
  try {
    await inTransaction(db, async (trx) => {
      await requireCompany({ db: trx }, companyId)
      await requireRole(trx, companyId, actor, 'users.create')
      await insertUser(trx, user)
      await auditAs(user, actor)(trx, 'user.create', user.id, user.createdAt, { role: user.role })
    })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    throw conflict('A member of the company has this email.', error)
  }
  return user
}

/**
 * Ends a membership. The same transaction ends the user's sessions and the links that were made for the user. Of the
 * links that the user made, it ends those that the user may have seen. It revokes every Personal key of the user, also
 * a key in its grace period. The keys stay revoked if the user comes back. Shared keys go on. Nobody can remove
 * themselves, so a company keeps an admin.
 *
 * @throws ApiError NOT_FOUND when the user is unknown or has left, INVALID_REQUEST for oneself, INSUFFICIENT_PERMISSIONS
 */
export async function removeUser(
  deps: Deps,
  companyId: string,
  actor: Actor,
  id: string,
): Promise<{ revokedKeys: number }> {
  if (actor.id === id) {
    throw invalidRequest(
      'You cannot remove yourself: another admin has to. If you are the only one, invite one first.',
    )
  }
  return inRingingTransaction(deps, async (trx) => {
    const now = await databaseNow(trx)
    await requireRole(trx, companyId, actor, 'users.remove')
    if (!isId('user', id)) throw notFound('User')
    await updateTotp(trx, companyId, id, NO_TOTP)
    if (!(await markUserLeft(trx, companyId, id, now))) throw notFound('User')
    await deleteSessionsOfUser(trx, companyId, id)
    await deleteSavedFilters(trx, companyId, id)
    await deleteMarks(trx, companyId, id)
    await replaceRecoveryCodes(trx, id, [])
    const links = await endLinks(trx, companyId, { user_id: id }, 'revoked')
    const made = await endLinksOfMaker(trx, companyId, id)
    const personal = { user_id: id, type: 'Personal' as const }
    const revoked = await revokeKeys(trx, companyId, personal, { reason: 'user_left', now })
    const audit = auditAs({ companyId }, actor)
    await audit(trx, 'user.remove', id, now, {
      revoked_keys: revoked.length,
      ...(links + made > 0 && { revoked_links: links + made }),
    })
    for (const keyId of revoked)
      await audit(trx, 'key.revoke', keyId, now, { reason: 'user_left', user_id: id })
    return { revokedKeys: revoked.length }
  })
}
