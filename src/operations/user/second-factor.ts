import type { Knex } from 'knex'
import { databaseNow } from '../../db/clock.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import {
  countRecoveryCodes,
  lockTotp,
  NO_TOTP,
  replaceRecoveryCodes,
  updateTotp,
  useRecoveryCode,
  type StoredTotp,
} from '../../db/user/totp-rows.ts'
import { deleteOtherSessions } from '../../db/user/sessions.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Actor } from '../../domain/actor.ts'
import { invalidRequest, invalid, orNotFound } from '../../domain/errors.ts'
import { seal, sealContext, unseal } from '../../domain/sealing/sealing.ts'
import {
  hashRecoveryCode,
  newRecoveryCodes,
  newTotpSecret,
  otpauthUrl,
  stepOfCode,
  isTotpCode,
} from '../../domain/user/second-factor.ts'
import type { Session, SessionUser } from '../../domain/user/session.ts'
import { auditAs } from '../audit.ts'

/** The session in which the second factor is changed. */
type OwnSession = Pick<Session, 'idHash'> & { readonly user: Member }

type Member = Pick<SessionUser, 'id' | 'companyId' | 'email'>

/**
 * Begins to set up an authenticator app. Sign-ins use the app once confirmTotp has confirmed it. Until then each call
 * replaces the app of the call before.
 *
 * @returns what the app needs, to be shown until the app is confirmed
 * @throws ApiError INVALID_REQUEST when the user has a confirmed app
 */
export async function beginTotp(
  { db, config }: Deps,
  member: Member,
): Promise<{ readonly secret: string; readonly url: string }> {
  const secret = newTotpSecret()
  const sealed = seal(config.secretsKeys, secret, sealContext(member.companyId, member.id, 'totp'))
  await inTransaction(db, async (trx) => {
    if ((await lockOrRefuse(trx, member)).confirmedAt !== null)
      throw invalidRequest('The second factor is on: switch it off first.')
    await updateTotp(trx, member.companyId, member.id, { ...NO_TOTP, sealed })
  })
  return { secret, url: otpauthUrl(secret, member.email) }
}

/**
 * Confirms the authenticator app. From then on a sign-in asks for its codes. The user's other sessions, which began without a
 * code, end.
 *
 * @returns the recovery codes in clear; only this answer shows them
 * @throws ApiError VALIDATION_ERROR for a wrong code, INVALID_REQUEST when no app waits for its confirmation
 */
export async function confirmTotp(
  { db, config }: Deps,
  actor: Actor,
  { user: member, idHash }: OwnSession,
  code: string,
): Promise<string[]> {
  const codes = newRecoveryCodes()
  await inTransaction(db, async (trx) => {
    const stored = await lockOrRefuse(trx, member)
    if (stored.sealed === null || stored.confirmedAt !== null)
      throw invalidRequest('No second factor waits for a confirmation.')
    const now = await databaseNow(trx)
    const secret = unseal(config.secretsKeys, stored.sealed, sealContext(member.companyId, member.id, 'totp'))
    const step = stepOfCode(secret, code, now, stored.lastStep)
    if (step === undefined) throw invalid('"code" is not the present one: check the clock of the device.')
    const confirmed = { sealed: stored.sealed, confirmedAt: now, lastStep: step }
    await updateTotp(trx, member.companyId, member.id, confirmed)
    await replaceRecoveryCodes(trx, member.id, codes.map(hashRecoveryCode))
    await deleteOtherSessions(trx, member.companyId, member.id, idHash)
    await auditAs(member, actor)(trx, 'user.totp_on', member.id, now)
  })
  return codes
}

/** New recovery codes in place of all former ones. @throws ApiError INVALID_REQUEST while the second factor is off */
export async function renewRecoveryCodes({ db }: Deps, actor: Actor, member: Member): Promise<string[]> {
  const codes = newRecoveryCodes()
  await inTransaction(db, async (trx) => {
    if ((await lockOrRefuse(trx, member)).confirmedAt === null)
      throw invalidRequest('The second factor is off.')
    await replaceRecoveryCodes(trx, member.id, codes.map(hashRecoveryCode))
    await auditAs(member, actor)(trx, 'user.recovery_codes', member.id, await databaseNow(trx))
  })
  return codes
}

/**
 * Switches the second factor off, and ends the user's other sessions. If the second factor is off already, it only
 * removes an app that is not confirmed.
 */
export async function removeTotp(
  { db }: Deps,
  actor: Actor,
  { user: member, idHash }: OwnSession,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { sealed, confirmedAt } = await lockOrRefuse(trx, member)
    if (sealed === null) return
    await updateTotp(trx, member.companyId, member.id, NO_TOTP)
    await replaceRecoveryCodes(trx, member.id, [])
    if (confirmedAt === null) return
    await deleteOtherSessions(trx, member.companyId, member.id, idHash)
    await auditAs(member, actor)(trx, 'user.totp_off', member.id, await databaseNow(trx))
  })
}

/** How many recovery codes the user has left. */
export const recoveryCodesLeft = ({ db }: Deps, userId: string) => countRecoveryCodes(db, userId)

/** What a code was. `locked`: a code of the app that was not checked, because too many codes before it were wrong. */
type CodeVerdict = 'app' | 'recovery_code' | 'wrong' | 'locked'

/**
 * Checks a code of the authenticator app or a recovery code, and marks it used, so that it works once. A right code
 * resets the count of wrong ones. The user's row stays locked until the transaction ends.
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
  const secret = unseal(config.secretsKeys, stored.sealed, sealContext(companyId, id, 'totp'))
  const step = stepOfCode(secret, code, await databaseNow(trx), stored.lastStep)
  if (step === undefined) return 'wrong'
  await updateTotp(trx, companyId, id, { ...stored, lastStep: step })
  return 'app'
}

const lockOrRefuse = async (trx: Knex.Transaction, { companyId, id }: Member): Promise<StoredTotp> =>
  orNotFound(await lockTotp(trx, companyId, id), 'User')
