import type { Knex } from 'knex'
import { auditAs } from '../audit.ts'
import { databaseNow } from '../../db/clock.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { listActivePersonalKeys, updateKey } from '../../db/key/keys.ts'
import { lockTotp, NO_TOTP, replaceRecoveryCodes, updateTotp } from '../../db/user/totp-rows.ts'
import { deleteSessionsOfUser } from '../../db/user/sessions.ts'
import { lockUser, updateUserRow, type StoredUser, type UserFields } from '../../db/user/users.ts'
import type { Actor } from '../../domain/actor.ts'
import { changeDetails, type AuditDetails } from '../../domain/audit/entry.ts'
import { invalidRequest, orNotFound } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import { checkName } from '../../domain/key/fields.ts'
import { checkAllowedScopes, scopesBeyond } from '../../domain/user/roles.ts'
import type { IssuedLink } from '../../domain/user/access-link.ts'
import type { UserRole } from '../../domain/user/user.ts'
import type { Deps } from '../../deps/deps.ts'
import { requireRole } from './authority.ts'
import { lockCompanyOrRefuse } from '../companies.ts'
import { differencesOf } from '../differences.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { endLinks, endLinksOfMaker } from '../../db/user/access-links.ts'
import { issueLink } from './issue-link.ts'
import { hashNewPassword, UNKNOWN_PASSWORD_HASH } from './password-hash.ts'

/** The fields of a user that can change. */
export type UserUpdate = {
  readonly name?: string
  readonly role?: UserRole
  readonly allowedScopes?: readonly string[]
  /** Unlocks the second factor, so that codes of the app are accepted again. */
  readonly totpLockedAt?: null
}

/** The user after a change, and how many keys the change disabled. */
export type ChangedUser = { readonly user: StoredUser; readonly disabledKeys: number }

/**
 * Changes the given fields only. When the role or the allowed scopes change, the same transaction disables Personal
 * keys with scopes that the user may not have any more. Nobody can change their own role, so a company keeps an admin.
 *
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR, INVALID_REQUEST for one's own role, INSUFFICIENT_PERMISSIONS
 */
export async function updateUser(
  { db }: Deps,
  companyId: string,
  actor: Actor,
  id: string,
  update: UserUpdate,
): Promise<ChangedUser> {
  const given = toFields(update)
  return inTransaction(db, async (trx) => {
    await requireRole(trx, companyId, actor, 'users.update')
    const user = await lockOrRefuse(trx, companyId, id)
    const fields = differencesOf(user, given)
    const unlocks = update.totpLockedAt === null && user.secondFactorLockedAt !== null
    const now = await databaseNow(trx)
    if (unlocks) await unlockTotp(trx, user, actor, now)
    const known = { ...user, ...(unlocks && { secondFactorLockedAt: null }) }
    if (Object.keys(fields).length === 0) return { user: known, disabledKeys: 0 }
    if (fields.role !== undefined && actor.id === id) {
      throw invalidRequest(
        'You cannot change your own role: another admin has to. If you are the only one, invite one first.',
      )
    }
    await updateUserRow(trx, companyId, id, fields)
    const details = changeDetails(auditedUser(user), auditedUser(fields))
    await auditAs({ companyId }, actor)(trx, 'user.update', id, now, details)
    // A member may invite nobody. Of the links that this user made as an admin, end those that the user may know.
    if (fields.role === 'member') await endLinksOfMaker(trx, companyId, id)
    const changed = { ...known, ...fields }
    const changesRights = fields.role !== undefined || fields.allowedScopes !== undefined
    const disabledKeys = changesRights ? await disableWiderKeys(trx, changed, actor, now) : 0
    return { user: changed, disabledKeys }
  })
}

const toFields = (update: UserUpdate): UserFields => ({
  ...(update.name !== undefined && { name: checkName(update.name) }),
  ...(update.role !== undefined && { role: update.role }),
  ...(update.allowedScopes !== undefined && { allowedScopes: checkAllowedScopes(update.allowedScopes) }),
})

/** The fields of a user that can change, under the audit's names. */
const auditedUser = ({ name, role, allowedScopes }: UserFields): AuditDetails => ({
  ...(role !== undefined && { role }),
  ...(allowedScopes !== undefined && { allowed_scopes: allowedScopes }),
  ...(name !== undefined && { name }),
})

async function unlockTotp(trx: Knex.Transaction, { companyId, id }: StoredUser, actor: Actor, at: Date) {
  const stored = await lockTotp(trx, companyId, id)
  if (stored) await updateTotp(trx, companyId, id, stored)
  await auditAs({ companyId }, actor)(trx, 'user.totp_unlock', id, at)
}

/** @returns how many keys it disabled */
async function disableWiderKeys(trx: Knex.Transaction, user: StoredUser, actor: Actor, now: Date) {
  const keys = await listActivePersonalKeys(trx, user.companyId, user.id)
  const wider = keys.filter(({ scopes }) => scopesBeyond(user, scopes).length > 0)
  for (const key of wider) {
    await updateKey(trx, user.companyId, key.id, { isActive: false }, now)
    const changes = changeDetails({ is_active: true }, { is_active: false })
    const details = { prefix: key.prefix, reason: 'role_lowered', ...changes }
    await auditAs(user, actor)(trx, 'key.update', key.id, now, details)
  }
  return wider.length
}

/**
 * Replaces a forgotten password with one that the operator typed. It ends all sessions of the user and switches the
 * second factor off, so that a user who lost both password and app can sign in again.
 *
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR
 */
export async function resetPassword(
  { db }: Deps,
  companyId: string,
  actor: Actor,
  id: string,
  password: string,
): Promise<StoredUser> {
  const passwordHash = await hashNewPassword(password)
  return inTransaction(db, (trx) => replacePassword(trx, companyId, actor, id, passwordHash))
}

/** A user without a password, and the link that sets one. */
export type ResetPassword = { readonly user: StoredUser; readonly issued: IssuedLink }

/**
 * Like resetPassword, but the user sets the new password by a link. The old password stops working at once, in case
 * somebody else knows it.
 *
 * @throws ApiError NOT_FOUND, INVALID_REQUEST for oneself, RATE_LIMITED, INSUFFICIENT_PERMISSIONS
 */
export async function resetPasswordByLink(
  deps: Deps,
  companyId: string,
  actor: Actor,
  id: string,
  kept?: AnswerToKeep<ResetPassword>,
): Promise<ResetPassword> {
  if (actor.id === id) throw invalidRequest('Change your own password with the present one.')
  return inTransaction(deps.db, async (trx) => {
    await requireRole(trx, companyId, actor, 'users.update')
    const company = await lockCompanyOrRefuse(trx, companyId)
    const user = await replacePassword(trx, companyId, actor, id, UNKNOWN_PASSWORD_HASH)
    const { email, role } = user
    const link = { kind: 'password' as const, email, userId: id, role, allowedScopes: [] }
    const issued = await issueLink(deps, trx, company, actor, link)
    return keepAnswer(trx, kept, { user, issued })
  })
}

async function replacePassword(
  trx: Knex.Transaction,
  companyId: string,
  actor: Actor,
  id: string,
  passwordHash: string,
): Promise<StoredUser> {
  const user = await lockOrRefuse(trx, companyId, id)
  const now = await databaseNow(trx)
  await updateUserRow(trx, companyId, id, { passwordHash })
  await updateTotp(trx, companyId, id, NO_TOTP)
  await replaceRecoveryCodes(trx, id, [])
  await deleteSessionsOfUser(trx, companyId, id)
  await endLinks(trx, companyId, { user_id: id }, 'replaced')
  await auditAs({ companyId }, actor)(trx, 'user.reset_password', id, now)
  return { ...user, hasSecondFactor: false, secondFactorLockedAt: null }
}

const lockOrRefuse = async (trx: Knex.Transaction, companyId: string, id: string): Promise<StoredUser> =>
  orNotFound(isId('user', id) ? await lockUser(trx, companyId, id) : undefined, 'User')
