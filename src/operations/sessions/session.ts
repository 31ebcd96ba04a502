import { databaseNow } from '../../db/clock.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import {
  deleteSession,
  deleteSessionsOfUser,
  insertSession,
  notePassword,
  noteSessionUse,
  deleteOtherSessions,
  deleteSessionOfUser,
  listSessions,
} from '../../db/user/sessions.ts'
import { createSessionLookups } from '../../db/user/session-lookups.ts'
import { findUser, lockUser, updateUserRow } from '../../db/user/users.ts'
import type { Deps, SystemDeps } from '../../deps/deps.ts'
import type { Actor, Device } from '../../domain/actor.ts'
import { invalidRequest, ApiError, notFound } from '../../domain/errors.ts'
import {
  hashToken,
  newToken,
  reauthenticatedUntil,
  SESSION_NOTED_EVERY_MS,
  type Session,
  type OwnSession,
} from '../../domain/user/session.ts'
import { SignInRefusal } from '../../domain/user/sign-in.ts'
import { auditAs } from '../audit.ts'
import { hashNewPassword, isPassword } from '../user/password-hash.ts'

/** Finds a session and notes that it is used; undefined when there is none, or it has ended. */
export type FindSession = (sessionId: string) => Promise<Session | undefined>

/** Sessions that are looked up at the same time share a query, so that many unknown ids cost the database little. */
export function createFindSession({ db }: Pick<SystemDeps, 'db'>): FindSession {
  const lookups = createSessionLookups(db)
  return async (sessionId) => {
    const session = await lookups.find(hashToken(sessionId))
    if (session && session.now.getTime() - session.seenAt.getTime() >= SESSION_NOTED_EVERY_MS) {
      await noteSessionUse(db, session.user.companyId, session.idHash, session.now)
    }
    return session
  }
}

/** Ends a session. */
export const endSession = ({ db }: Deps, { user, idHash }: Session): Promise<void> =>
  deleteSession(db, user.companyId, idHash)

/**
 * Notes that the password was given again.
 *
 * @returns until when the user is not asked for the password again
 * @throws ApiError INVALID_CREDENTIALS
 */
export async function reauthenticate({ db }: Deps, session: Session, password: string): Promise<Date> {
  const { companyId, id } = session.user
  const user = await findUser(db, companyId, id)
  if (!(await isPassword('known', user?.passwordHash, password))) throw wrongPassword(id)
  const now = await databaseNow(db)
  await notePassword(db, companyId, session.idHash, now)
  return reauthenticatedUntil({ passwordAt: now })
}

/**
 * Changes the password of the signed-in user. It ends every session of the user, and begins a new one in place of `session`.
 *
 * @returns the id of the new session
 * @throws ApiError INVALID_CREDENTIALS if `current` is wrong, VALIDATION_ERROR if `wanted` is not allowed
 */
export async function changePassword(
  { db }: Deps,
  session: Session,
  actor: Actor & Device,
  { current, wanted }: { readonly current: string; readonly wanted: string },
): Promise<string> {
  const { companyId, id } = session.user
  const known = await findUser(db, companyId, id)
  if (!(await isPassword('known', known?.passwordHash, current))) throw wrongPassword(id)
  const passwordHash = await hashNewPassword(wanted, 'new_password')
  const sessionId = newToken()
  await inTransaction(db, async (trx) => {
    const user = await lockUser(trx, companyId, id)
    if (user?.passwordHash !== known?.passwordHash) throw wrongPassword(id)
    await updateUserRow(trx, companyId, id, { passwordHash })
    await deleteSessionsOfUser(trx, companyId, id)
    const now = await databaseNow(trx)
    await insertSession(trx, { idHash: hashToken(sessionId), companyId, userId: id, now, device: actor })
    await auditAs({ companyId }, actor)(trx, 'user.change_password', id, now)
  })
  return sessionId
}

const wrongPassword = (userId: string) =>
  new ApiError('INVALID_CREDENTIALS', 'The password is wrong.', {
    cause: new SignInRefusal('wrong_password', [userId]),
  })

/** The user's sessions that have not ended, the latest used first; MOST_SESSIONS at most. */
export const listOwnSessions = (
  { db }: Deps,
  { companyId, id }: Pick<Session['user'], 'companyId' | 'id'>,
): Promise<OwnSession[]> => listSessions(db, companyId, id)

/**
 * Ends another session of the user.
 *
 * @throws ApiError NOT_FOUND where the user has no such session, INVALID_REQUEST for the current session
 */
export async function endOwnSession(
  { db }: Deps,
  actor: Actor,
  { user, idHash: current }: Pick<Session, 'user' | 'idHash'>,
  idHash: Buffer,
): Promise<void> {
  if (idHash.equals(current)) throw invalidRequest('Sign out to end the session that you use.')
  await inTransaction(db, async (trx) => {
    if (!(await deleteSessionOfUser(trx, user.companyId, user.id, idHash))) throw notFound('Session')
    await auditAs(user, actor)(trx, 'session.end', user.id, await databaseNow(trx), { sessions: 1 })
  })
}

/** Ends all sessions of the user except the current one. @returns how many */
export async function endOtherSessions(
  { db }: Deps,
  actor: Actor,
  { user, idHash }: Session,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const sessions = await deleteOtherSessions(trx, user.companyId, user.id, idHash)
    if (sessions > 0)
      await auditAs(user, actor)(trx, 'session.end', user.id, await databaseNow(trx), { sessions })
    return sessions
  })
}
