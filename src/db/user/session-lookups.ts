import { SESSION_IDLE_MS, type Session } from '../../domain/user/session.ts'
import type { SystemDb } from '../connection/connection.ts'
import { lookupsByHash, type SharedLookups } from '../connection/shared-lookups.ts'
import { readRows } from '../connection/statements.ts'
import { afterNow } from '../clock.ts'
import type { SessionRow } from './sessions.ts'
import { toShownUser, type ShownUserRow } from './users.ts'

type FoundSessionRow = Pick<SessionRow, 'id_hash' | 'seen_at' | 'password_at' | 'expires_at'> &
  ShownUserRow & {
    user_created_at: Date
    company_name: string
    suspended_at: Date | null
    second_factor_required_at: Date | null
    now: Date
  }

/**
 * Looks sessions up by the hash of their id, with their users and companies. A session has ended if it was idle for too
 * long, is too old, or its user left. The database's clock decides.
 */
type SessionLookups = SharedLookups<Buffer, Session>

/** Looks sessions up in shared queries, like createKeyLookups. */
export const createSessionLookups = (db: SystemDb): SessionLookups =>
  lookupsByHash(async (idHashes) =>
    (await findRows(db, idHashes)).map((row) => [row.id_hash, () => toSession(row)]),
  )

const findRows = (db: SystemDb, idHashes: readonly Buffer[]): Promise<FoundSessionRow[]> =>
  readRows<FoundSessionRow>(db)`
    SELECT s.id_hash, s.seen_at, s.password_at, s.expires_at, u.id, u.company_id, u.email, u.name, u.role,
           u.allowed_scopes, u.totp_confirmed_at, u.totp_locked_at, u.created_at AS user_created_at,
           c.name AS company_name, c.suspended_at, c.second_factor_required_at, NOW(3) AS now
      FROM console_sessions s
      JOIN users u ON u.id = s.user_id AND u.company_id = s.company_id AND u.left_at IS NULL
      JOIN companies c ON c.id = s.company_id
     WHERE s.id_hash IN (${idHashes}) AND s.expires_at > NOW(3) AND s.seen_at > ${afterNow(-SESSION_IDLE_MS)}`

const toSession = (row: FoundSessionRow): Session => ({
  idHash: row.id_hash,
  user: { ...toShownUser(row), createdAt: row.user_created_at },
  companyName: row.company_name,
  companySuspendedAt: row.suspended_at,
  requiresSecondFactor: row.second_factor_required_at !== null,
  seenAt: row.seen_at,
  passwordAt: row.password_at,
  expiresAt: row.expires_at,
  now: row.now,
})
