import type { Device } from '../../domain/actor.ts'
import {
  MOST_SESSIONS,
  SESSION_IDLE_MS,
  SESSION_LIFETIME_MS,
  type OwnSession,
} from '../../domain/user/session.ts'
import { afterNow } from '../clock.ts'
import type { Db, SystemDb } from '../connection/connection.ts'
import { readRows } from '../connection/statements.ts'

/** A row of `console_sessions`; only the files of db/ use it. */
export type SessionRow = {
  id_hash: Buffer
  company_id: string
  user_id: string
  created_at: Date
  seen_at: Date
  password_at: Date
  expires_at: Date
  ip: string | null
  user_agent: string | null
}

type NewSession = {
  readonly idHash: Buffer
  readonly companyId: string
  readonly userId: string
  readonly now: Date
  readonly device?: Device
}

const sessionsOf = (db: Db, companyId: string) =>
  db<SessionRow>('console_sessions').where({ company_id: companyId })

/** Stores a session that begins now. The user has just entered the password. */
export async function insertSession(
  trx: Db,
  { idHash, companyId, userId, now, device = {} }: NewSession,
): Promise<void> {
  await trx<SessionRow>('console_sessions').insert({
    id_hash: idHash,
    company_id: companyId,
    user_id: userId,
    created_at: now,
    seen_at: now,
    password_at: now,
    expires_at: new Date(now.getTime() + SESSION_LIFETIME_MS),
    ip: device.ip ?? null,
    user_agent: device.userAgent?.slice(0, LONGEST_USER_AGENT) ?? null,
  })
}

/** The width of the column, in characters. */
const LONGEST_USER_AGENT = 255

/** The user's sessions that have not ended (by the database's clock), the latest used first; at most MOST_SESSIONS. */
export const listSessions = (db: Db, companyId: string, userId: string): Promise<OwnSession[]> =>
  readRows<OwnSession>(db)`
    SELECT id_hash AS idHash, created_at AS createdAt, seen_at AS seenAt, ip, user_agent AS userAgent
      FROM console_sessions
     WHERE company_id = ${companyId} AND user_id = ${userId}
       AND expires_at > NOW(3) AND seen_at > ${afterNow(-SESSION_IDLE_MS)}
     ORDER BY seen_at DESC LIMIT ${MOST_SESSIONS}`

/** Ends one session. */
export async function deleteSession(db: Db, companyId: string, idHash: Buffer): Promise<void> {
  await sessionsOf(db, companyId).where({ id_hash: idHash }).delete()
}

/** Ends one session of a user. @returns whether there was one */
export async function deleteSessionOfUser(
  trx: Db,
  companyId: string,
  userId: string,
  idHash: Buffer,
): Promise<boolean> {
  return (await sessionsOf(trx, companyId).where({ user_id: userId, id_hash: idHash }).delete()) === 1
}

/** Ends all sessions of a user. */
export async function deleteSessionsOfUser(trx: Db, companyId: string, userId: string): Promise<void> {
  await sessionsOf(trx, companyId).where({ user_id: userId }).delete()
}

/** Ends all sessions of a user but one. @returns how many */
export async function deleteOtherSessions(
  trx: Db,
  companyId: string,
  userId: string,
  keptIdHash: Buffer,
): Promise<number> {
  return sessionsOf(trx, companyId).where({ user_id: userId }).whereNot({ id_hash: keptIdHash }).delete()
}

/**
 * Ends the user's least recently used sessions, so that no more than the given number are left. The caller must have locked
 * the row of the user, so that no session begins at the same time.
 *
 * @returns how many it ended
 */
export async function deleteSurplusSessions(
  trx: Db,
  companyId: string,
  userId: string,
  most: number,
): Promise<number> {
  const latestFirst = await sessionsOf(trx, companyId)
    .where({ user_id: userId })
    .orderBy([
      { column: 'seen_at', order: 'desc' },
      { column: 'created_at', order: 'desc' },
    ])
    .pluck<Buffer[]>('id_hash')
  const surplus = latestFirst.slice(most)
  if (surplus.length > 0) await sessionsOf(trx, companyId).whereIn('id_hash', surplus).delete()
  return surplus.length
}

/** Stores that a session was used now. */
export async function noteSessionUse(db: Db, companyId: string, idHash: Buffer, now: Date): Promise<void> {
  await sessionsOf(db, companyId).where({ id_hash: idHash }).update({ seen_at: now })
}

/** Stores that the user entered the password now. */
export async function notePassword(db: Db, companyId: string, idHash: Buffer, now: Date): Promise<void> {
  await sessionsOf(db, companyId).where({ id_hash: idHash }).update({ password_at: now })
}

/**
 * Removes sessions that are too old, and sessions that were idle for too long. At most `limit` of each.
 *
 * @returns the larger of the two numbers of removed rows; fewer than the limit: none is left
 */
export async function purgeSessions(db: SystemDb, now: Date, limit: number): Promise<number> {
  const idleSince = new Date(now.getTime() - SESSION_IDLE_MS)
  const tooOld = await db('console_sessions').where('expires_at', '<=', now).limit(limit).delete()
  const idle = await db('console_sessions').where('seen_at', '<=', idleSince).limit(limit).delete()
  return Math.max(tooOld, idle)
}
