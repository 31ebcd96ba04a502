import type { Knex } from 'knex'
import { databaseNow } from '../../db/clock.ts'
import { lockTotp, updateTotp, useRecoveryCode } from '../../db/second-factor.ts'
import { totpContext } from '../../domain/sealing/contexts.ts'
import { unseal } from '../../domain/sealing/sealing.ts'
import { hashRecoveryCode, isTotpCode, stepOfCode } from '../../domain/user/second-factor.ts'
import type { SessionUser } from '../../domain/user/session.ts'
import type { Deps } from '../../process/deps.ts'

/**
 * Uses a code up: the present one of the authenticator app, or a recovery code. No code serves twice. The user's row stays
 * locked until the transaction ends.
 *
 * @returns what the code was, undefined for a wrong one
 */
export async function useCode(
  trx: Knex.Transaction,
  { config }: Pick<Deps, 'config'>,
  { id, companyId }: Pick<SessionUser, 'id' | 'companyId'>,
  code: string,
): Promise<'app' | 'recovery_code' | undefined> {
  const stored = await lockTotp(trx, companyId, id)
  if (!stored?.sealed || stored.confirmedAt === null) return undefined
  if (!isTotpCode(code)) {
    return (await useRecoveryCode(trx, id, hashRecoveryCode(code))) ? 'recovery_code' : undefined
  }
  const secret = unseal(config.secretsKeys, stored.sealed, totpContext(companyId, id))
  const step = stepOfCode(secret, code, await databaseNow(trx), stored.lastStep)
  if (step === undefined) return undefined
  await updateTotp(trx, companyId, id, { ...stored, lastStep: step })
  return 'app'
}
