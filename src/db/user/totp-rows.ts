import type { Db } from '../connection/connection.ts'
import { run } from '../connection/statements.ts'
import type { UserRow } from './users.ts'

const memberOf = (db: Db, companyId: string, id: string) =>
  db<UserRow>('users').where({ company_id: companyId, id, left_at: null })

/** What is stored of a user's authenticator app. It counts once `confirmedAt` is set. */
export type StoredTotp = {
  readonly sealed: string | null
  readonly confirmedAt: Date | null
  readonly lastStep: number | null
}

/** Of a user without one, or whose app is set up anew. */
export const NO_TOTP: StoredTotp = { sealed: null, confirmedAt: null, lastStep: null }

/**
 * Reads it, and since when wrong codes have locked it. Locks the user's row until the transaction ends, so that a code
 * serves once.
 */
export async function lockTotp(
  trx: Db,
  companyId: string,
  id: string,
): Promise<(StoredTotp & { readonly lockedAt: Date | null }) | undefined> {
  const row = await memberOf(trx, companyId, id)
    .forUpdate()
    .first<
      Pick<UserRow, 'totp_sealed' | 'totp_confirmed_at' | 'totp_last_step' | 'totp_locked_at'> | undefined
    >(...['totp_sealed', 'totp_confirmed_at', 'totp_last_step', 'totp_locked_at'])
  return (
    row && {
      sealed: row.totp_sealed,
      confirmedAt: row.totp_confirmed_at,
      lastStep: row.totp_last_step,
      lockedAt: row.totp_locked_at,
    }
  )
}

/** Sets what is stored of a user's authenticator app. The wrong codes before it are forgotten, and lock it no longer. */
export async function updateTotp(trx: Db, companyId: string, id: string, totp: StoredTotp): Promise<void> {
  await memberOf(trx, companyId, id).update({
    totp_sealed: totp.sealed,
    totp_confirmed_at: totp.confirmedAt,
    totp_last_step: totp.lastStep,
    totp_failures: 0,
    totp_locked_at: null,
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
  return (await memberOf(trx, companyId, id).whereNotNull('totp_locked_at').first('id')) !== undefined
}

const codesOf = (db: Db, userId: string) => db('user_recovery_codes').where({ user_id: userId })

/** Puts these recovery codes in place of those that the user had. */
export async function replaceRecoveryCodes(
  trx: Db,
  userId: string,
  codeHashes: readonly Buffer[],
): Promise<void> {
  await codesOf(trx, userId).delete()
  const rows = codeHashes.map((hash) => ({ user_id: userId, code_hash: hash }))
  if (rows.length > 0) await trx('user_recovery_codes').insert(rows)
}

/** Uses a recovery code up. @returns whether the user had it */
export async function useRecoveryCode(trx: Db, userId: string, codeHash: Buffer): Promise<boolean> {
  return (await codesOf(trx, userId).where({ code_hash: codeHash }).delete()) === 1
}

/** How many recovery codes the user has left. */
export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const row = await codesOf(db, userId).count({ count: '*' }).first<{ count: number } | undefined>()
  return row?.count ?? 0
}
