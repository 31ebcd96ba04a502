import type { Db } from './connection/connection.ts'
import type { UserRow } from './users.ts'

const memberOf = (db: Db, companyId: string, id: string) =>
  db<UserRow>('users').where({ company_id: companyId, id, left_at: null })

/** What is stored of a user's authenticator app. It counts once `confirmedAt` is set. */
export type StoredTotp = {
  readonly sealed: string | null
  readonly confirmedAt: Date | null
  readonly lastStep: number | null
}

/** Reads it and locks the user's row until the transaction ends, so that a code serves once. */
export async function lockTotp(trx: Db, companyId: string, id: string): Promise<StoredTotp | undefined> {
  const row = await memberOf(trx, companyId, id)
    .forUpdate()
    .first<Pick<UserRow, 'totp_sealed' | 'totp_confirmed_at' | 'totp_last_step'> | undefined>(
      ...['totp_sealed', 'totp_confirmed_at', 'totp_last_step'],
    )
  return row && { sealed: row.totp_sealed, confirmedAt: row.totp_confirmed_at, lastStep: row.totp_last_step }
}

/** Sets what is stored of a user's authenticator app. */
export async function updateTotp(trx: Db, companyId: string, id: string, totp: StoredTotp): Promise<void> {
  await memberOf(trx, companyId, id).update({
    totp_sealed: totp.sealed,
    totp_confirmed_at: totp.confirmedAt,
    totp_last_step: totp.lastStep,
  })
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
