import type { Db } from '../connection/connection.ts'
import { countRows, execute, readRows, sql, type Statement } from '../connection/statements.ts'

const isMember = (companyId: string, id: string): Statement =>
  sql`company_id = ${companyId} AND id = ${id} AND left_at IS NULL`

/** The stored data of a user's authenticator app. The app is required once `confirmedAt` is set. */
export type StoredTotp = {
  readonly sealed: string | null
  readonly confirmedAt: Date | null
  readonly lastStep: number | null
}

/** The data of a user without an app, or with an app that is being set up anew. */
export const NO_TOTP: StoredTotp = { sealed: null, confirmedAt: null, lastStep: null }

/**
 * Reads the data of the user's app, and since when wrong codes have locked it. Locks the user's row until the transaction
 * ends, so that no code is accepted twice.
 */
export async function lockTotp(
  trx: Db,
  companyId: string,
  id: string,
): Promise<(StoredTotp & { readonly lockedAt: Date | null }) | undefined> {
  const [stored] = await readRows<StoredTotp & { lockedAt: Date | null }>(trx)`
    SELECT totp_sealed AS sealed, totp_confirmed_at AS confirmedAt, totp_last_step AS lastStep,
           totp_locked_at AS lockedAt
      FROM users WHERE ${isMember(companyId, id)} FOR UPDATE`
  return stored
}

/** Sets the data of a user's authenticator app. Also clears the count of wrong codes and unlocks the app. */
export async function updateTotp(trx: Db, companyId: string, id: string, totp: StoredTotp): Promise<void> {
  await execute(trx)`
    UPDATE users SET totp_sealed = ${totp.sealed}, totp_confirmed_at = ${totp.confirmedAt},
                     totp_last_step = ${totp.lastStep}, totp_failures = 0, totp_locked_at = NULL
     WHERE ${isMember(companyId, id)}`
}

/**
 * Counts a wrong code in the user's row, unless wrong codes have locked the app. It is one conditional statement, so the
 * count is right over all processes.
 *
 * @param most how many wrong codes in a row lock the app
 * @returns whether the app is locked now
 */
export async function countWrongCode(trx: Db, companyId: string, id: string, most: number): Promise<boolean> {
  await execute(trx)`
    UPDATE users
       SET totp_locked_at = IF(totp_failures + 1 < ${most}, NULL, NOW(3)), totp_failures = totp_failures + 1
     WHERE company_id = ${companyId} AND id = ${id} AND totp_locked_at IS NULL`
  const locked = await readRows(trx)`
    SELECT id FROM users WHERE ${isMember(companyId, id)} AND totp_locked_at IS NOT NULL`
  return locked.length > 0
}

/** Replaces the user's recovery codes. */
export async function replaceRecoveryCodes(
  trx: Db,
  userId: string,
  codeHashes: readonly Buffer[],
): Promise<void> {
  await execute(trx)`DELETE FROM user_recovery_codes WHERE user_id = ${userId}`
  if (codeHashes.length === 0) return
  const rows = codeHashes.map((hash) => ({ user_id: userId, code_hash: hash }))
  await trx('user_recovery_codes').insert(rows)
}

/** Uses up a recovery code. @returns whether the user had this code */
export async function useRecoveryCode(trx: Db, userId: string, codeHash: Buffer): Promise<boolean> {
  const used = await execute(trx)`
    DELETE FROM user_recovery_codes WHERE user_id = ${userId} AND code_hash = ${codeHash}`
  return used === 1
}

/** How many recovery codes the user has left. */
export const countRecoveryCodes = (db: Db, userId: string): Promise<number> =>
  countRows(db('user_recovery_codes').where({ user_id: userId }))
