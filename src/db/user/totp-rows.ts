import type { Db } from '../connection/connection.ts'
import { foundBy, insertStatement, readRows, run, type SqlValue } from '../connection/statements.ts'
import type { UserRow } from './users.ts'

const MEMBER = 'company_id = ? AND id = ? AND left_at IS NULL'

/** What is stored of a user's authenticator app. It counts once `confirmedAt` is set. */
export type StoredTotp = {
  readonly sealed: string | null
  readonly confirmedAt: Date | null
  readonly lastStep: number | null
}

/** For a user without an app, or one whose app is being set up anew. */
export const NO_TOTP: StoredTotp = { sealed: null, confirmedAt: null, lastStep: null }

/**
 * Reads what is stored of the user's app, and since when wrong codes have locked it. Locks the user's row until the
 * transaction ends, so that a code serves once.
 */
export async function lockTotp(
  trx: Db,
  companyId: string,
  id: string,
): Promise<(StoredTotp & { readonly lockedAt: Date | null }) | undefined> {
  const [row] = await readRows<TotpRow>(trx, {
    sql: `SELECT totp_sealed, totp_confirmed_at, totp_last_step, totp_locked_at FROM users WHERE ${MEMBER} FOR UPDATE`,
    values: [companyId, id],
  })
  return (
    row && {
      sealed: row.totp_sealed,
      confirmedAt: row.totp_confirmed_at,
      lastStep: row.totp_last_step,
      lockedAt: row.totp_locked_at,
    }
  )
}

type TotpRow = Pick<UserRow, 'totp_sealed' | 'totp_confirmed_at' | 'totp_last_step' | 'totp_locked_at'>

/** Sets what is stored of a user's authenticator app. The wrong codes before it are forgotten, and lock it no longer. */
export async function updateTotp(trx: Db, companyId: string, id: string, totp: StoredTotp): Promise<void> {
  await run(trx, {
    sql: `UPDATE users SET totp_sealed = ?, totp_confirmed_at = ?, totp_last_step = ?, totp_failures = 0,
                 totp_locked_at = NULL
           WHERE ${MEMBER}`,
    values: [totp.sealed, totp.confirmedAt, totp.lastStep, companyId, id],
  })
}

/**
 * Counts a wrong code at the user's row, unless wrong codes have locked it: one conditional statement, so that the count
 * holds over all processes.
 *
 * @param most wrong codes in a row, the last of which locks it
 * @returns whether it is locked now
 */
export async function countWrongCode(trx: Db, companyId: string, id: string, most: number): Promise<boolean> {
  await run(trx, {
    sql: `UPDATE users
             SET totp_locked_at = IF(totp_failures + 1 < ?, NULL, NOW(3)), totp_failures = totp_failures + 1
           WHERE company_id = ? AND id = ? AND totp_locked_at IS NULL`,
    values: [most, companyId, id],
  })
  const sql = `SELECT id FROM users WHERE ${MEMBER} AND totp_locked_at IS NOT NULL`
  return (await readRows(trx, { sql, values: [companyId, id] })).length > 0
}

/** Puts these recovery codes in place of those that the user had. */
export async function replaceRecoveryCodes(
  trx: Db,
  userId: string,
  codeHashes: readonly Buffer[],
): Promise<void> {
  await run(trx, { sql: 'DELETE FROM user_recovery_codes WHERE user_id = ?', values: [userId] })
  if (codeHashes.length === 0) return
  const rows = codeHashes.map((hash): SqlValue[] => [userId, hash])
  await run(trx, insertStatement('user_recovery_codes (user_id, code_hash)', '(?, ?)', rows))
}

/** Uses a recovery code up. @returns whether the user had it */
export async function useRecoveryCode(trx: Db, userId: string, codeHash: Buffer): Promise<boolean> {
  const sql = 'DELETE FROM user_recovery_codes WHERE user_id = ? AND code_hash = ?'
  return foundBy(await run(trx, { sql, values: [userId, codeHash] })) === 1
}

/** How many recovery codes the user has left. */
export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const sql = 'SELECT COUNT(*) AS count FROM user_recovery_codes WHERE user_id = ?'
  const [row] = await readRows<{ count: number }>(db, { sql, values: [userId] })
  return row?.count ?? 0
}
