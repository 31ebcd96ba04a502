import { auditAs } from '../audit.ts'
import { databaseNow } from '../../db/clock.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { deleteOtherSessions, deleteSessionOfUser, listSessions } from '../../db/user/sessions.ts'
import type { Actor } from '../../domain/actor.ts'
import { ApiError, notFound } from '../../domain/errors.ts'
import type { OwnSession, Session } from '../../domain/user/session.ts'
import type { Deps } from '../../deps/deps.ts'

/** The user's sessions that have not ended, the latest used first; MOST_SESSIONS at most. */
export const listOwnSessions = (
  { db }: Deps,
  { companyId, id }: Pick<Session['user'], 'companyId' | 'id'>,
): Promise<OwnSession[]> => listSessions(db, companyId, id)

/**
 * Ends another session of the user.
 *
 * @throws ApiError NOT_FOUND where the user has no such session, INVALID_REQUEST for the one that asks
 */
export async function endOwnSession(
  { db }: Deps,
  actor: Actor,
  { user, idHash: current }: Pick<Session, 'user' | 'idHash'>,
  idHash: Buffer,
): Promise<void> {
  if (idHash.equals(current))
    throw new ApiError('INVALID_REQUEST', 'Sign out to end the session that you use.')
  await inTransaction(db, async (trx) => {
    if (!(await deleteSessionOfUser(trx, user.companyId, user.id, idHash))) throw notFound('Session')
    await auditAs(user, actor)(trx, 'session.end', user.id, await databaseNow(trx), { sessions: 1 })
  })
}

/** Ends all sessions of the user but the one that asks. @returns how many */
export async function endOtherSessions(
  { db }: Deps,
  actor: Actor,
  { user, idHash }: Pick<Session, 'user' | 'idHash'>,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const sessions = await deleteOtherSessions(trx, user.companyId, user.id, idHash)
    if (sessions > 0)
      await auditAs(user, actor)(trx, 'session.end', user.id, await databaseNow(trx), { sessions })
    return sessions
  })
}
