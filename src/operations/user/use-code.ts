import type { Knex } from 'knex'
import { databaseNow } from '../../db/clock.ts'
import { lockTotp, updateTotp, useRecoveryCode } from '../../db/user/totp-rows.ts'
import { unseal, totpContext } from '../../domain/sealing/sealing.ts'
import { hashRecoveryCode, isTotpCode, stepOfCode } from '../../domain/user/second-factor.ts'
import type { SessionUser } from '../../domain/user/session.ts'
import type { Deps } from '../../deps/deps.ts'

/** What a code was. `locked`: a code of the app, after too many wrong ones, so it was not checked. */
export type CodeVerdict = 'app' | 'recovery_code' | 'wrong' | 'locked'

/**
 * Checks a code, the present one of the authenticator app or a recovery code, and marks it used: no code serves twice. A right
 * code resets the count of wrong ones. The user's row stays locked until the transaction ends.
 */
export async function useCode(
  trx: Knex.Transaction,
  { config }: Pick<Deps, 'config'>,
  { id, companyId }: Pick<SessionUser, 'id' | 'companyId'>,
  code: string,
): Promise<CodeVerdict> {
  const stored = await lockTotp(trx, companyId, id)
  if (!stored?.sealed || stored.confirmedAt === null) return 'wrong'
  if (!isTotpCode(code)) {
    if (!(await useRecoveryCode(trx, id, hashRecoveryCode(code)))) return 'wrong'
    await updateTotp(trx, companyId, id, stored)
    return 'recovery_code'
  }
  if (stored.lockedAt !== null) return 'locked'
  const secret = unseal(config.secretsKeys, stored.sealed, totpContext(companyId, id))
  const step = stepOfCode(secret, code, await databaseNow(trx), stored.lastStep)
  if (step === undefined) return 'wrong'
  await updateTotp(trx, companyId, id, { ...stored, lastStep: step })
  return 'app'
}
