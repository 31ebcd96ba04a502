import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import { insertAudit } from '../../db/audit.ts'
import { databaseNow } from '../../db/clock.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { countWrongCode } from '../../db/user/totp-rows.ts'
import { deleteSurplusSessions, insertSession } from '../../db/user/sessions.ts'
import {
  listAccounts,
  type Account,
  lockUser,
  replacePasswordHash,
  type StoredUser,
} from '../../db/user/users.ts'
import type { Deps, SystemDeps } from '../../deps/deps.ts'
import type { Actor, Device } from '../../domain/actor.ts'
import { ApiError } from '../../domain/errors.ts'
import { MOST_WRONG_CODES } from '../../domain/user/second-factor.ts'
import { hashToken, MOST_SESSIONS, newToken } from '../../domain/user/session.ts'
import { SignInRefusal, evenWaitMs } from '../../domain/user/sign-in.ts'
import { isId } from '../../domain/ids.ts'
import { normalEmail } from '../../domain/user/user.ts'
import { rehashed, isPassword } from '../user/password-hash.ts'
import { useCode } from '../user/second-factor.ts'

export type Credentials = {
  readonly email: string
  readonly password: string
  readonly companyId?: string
  /** A code of the authenticator app, or a recovery code. */
  readonly code?: string
}

/** Address, request and browser of somebody who signs in. */
export type SignInOrigin = Omit<Actor, 'id'> & Device

export type SignIn =
  | { readonly kind: 'signed_in'; readonly sessionId: string }
  /** The email has accounts with this password in several companies: the person has to choose one. */
  | { readonly kind: 'choose_company'; readonly companies: readonly { id: string; name: string }[] }

/**
 * Begins a session. An unknown email takes as long as a wrong password, and gets the same answer. The `cause` of each
 * refusal is a SignInRefusal.
 *
 * @param from for the audit and the list of sessions
 * @throws ApiError INVALID_CREDENTIALS; SECOND_FACTOR_REQUIRED when the password is right and a code is missing;
 *   SECOND_FACTOR_LOCKED when only a recovery code would be accepted
 */
export async function signIn(deps: SystemDeps, given: Credentials, from: SignInOrigin): Promise<SignIn> {
  const matching = await matchingAccounts(deps, given)
  const [account, ...others] = matching
  if (others.length > 0) {
    const companies = matching.map(({ companyId: id, companyName: name }) => ({ id, name }))
    return { kind: 'choose_company', companies }
  }
  const { code } = given
  if (account.hasSecondFactor && code === undefined) {
    if (account.secondFactorLockedAt !== null) throw codesLocked(account.id)
    throw new ApiError(
      'SECOND_FACTOR_REQUIRED',
      'Enter the code of your authenticator app, or a recovery code.',
      { cause: new SignInRefusal('code_missing', [account.id]) },
    )
  }
  const sessionId = await beginSession(deps, account, { code, from })
  await renewHash(deps, account, given.password)
  return { kind: 'signed_in', sessionId }
}

/** A sign-in tries at most this many accounts with its email: the oldest ones. */
const MOST_ACCOUNTS = 5

/** The answer to a wrong email, password or code. It does not say which of them is wrong; its `cause` does. */
const wrongCredentials = (reason: SignInRefusal['reason'], userIds: readonly string[]) =>
  new ApiError('INVALID_CREDENTIALS', 'The email, the password or the code is wrong.', {
    cause: new SignInRefusal(reason, userIds),
  })

/**
 * The accounts with this email and password, at least one.
 *
 * @throws ApiError INVALID_CREDENTIALS when there is none. The refusal takes the same time for any number of accounts
 *   with the email (docs/decisions, The time of a refused sign-in)
 */
async function matchingAccounts(
  { db }: SystemDeps,
  { email, password, companyId }: Credentials,
): Promise<readonly [Account, ...Account[]]> {
  const isPossible = companyId === undefined || isId('company', companyId)
  const wanted = { email: normalEmail(email), companyId, limit: MOST_ACCOUNTS }
  const accounts = isPossible ? await listAccounts(db, wanted) : []
  const startedMs = performance.now()
  if (accounts.length === 0) await isPassword('strangers', undefined, password)
  const matching: Account[] = []
  for (const account of accounts) {
    if (await isPassword('strangers', account.passwordHash, password)) matching.push(account)
  }
  const [first, ...others] = matching
  if (first) return [first, ...others]
  await delay(evenWaitMs(performance.now() - startedMs, Math.max(1, accounts.length), MOST_ACCOUNTS))
  const userIds = accounts.map(({ id }) => id)
  throw wrongCredentials(userIds.length === 0 ? 'unknown_email' : 'wrong_password', userIds)
}

/**
 * Checks the password's hash and the code under lock: the password may have changed since it was compared, and a code
 * works only once. Ends the user's oldest sessions if there are too many. After a recovery code it ends all former
 * sessions, because the device with the app may be lost.
 */
async function beginSession(
  deps: Deps,
  account: Account,
  { code, from }: { readonly code: string | undefined; readonly from: SignInOrigin },
): Promise<string> {
  const sessionId = newToken()
  const { id: userId, companyId } = account
  const refusal = await inTransaction(deps.db, async (trx) => {
    const user = await lockUser(trx, companyId, userId)
    if (user?.passwordHash !== account.passwordHash) throw wrongCredentials('wrong_password', [userId])
    const factor = user.hasSecondFactor ? await useCode(trx, deps, user, code ?? '') : 'none'
    if (factor === 'locked') return codesLocked(userId)
    const now = await databaseNow(trx)
    const audit = { companyId, at: now, actor: { id: userId, ...from }, targetId: userId }
    if (factor === 'wrong') return refuseCode(trx, user, audit)
    const most = factor === 'recovery_code' ? 0 : MOST_SESSIONS - 1
    const ended = await deleteSurplusSessions(trx, companyId, userId, most)
    await insertSession(trx, { idHash: hashToken(sessionId), companyId, userId, now, device: from })
    const details = {
      ...(factor !== 'none' && { second_factor: factor }),
      ...(ended > 0 && { ended_sessions: ended }),
    }
    await insertAudit(trx, { ...audit, action: 'session.start', details })
    return undefined
  })
  if (refusal) throw refusal
  return sessionId
}

/**
 * Counts a wrong code. Once codes are locked, further wrong codes are not in the audit.
 *
 * @returns what to throw after the commit
 */
async function refuseCode(
  trx: Knex.Transaction,
  { id, companyId, secondFactorLockedAt }: StoredUser,
  audit: Omit<Parameters<typeof insertAudit>[1], 'action'>,
): Promise<ApiError> {
  if (secondFactorLockedAt !== null) return wrongCredentials('wrong_code', [id])
  await insertAudit(trx, { ...audit, action: 'session.refuse', details: { reason: 'wrong_code' } })
  if (!(await countWrongCode(trx, companyId, id, MOST_WRONG_CODES)))
    return wrongCredentials('wrong_code', [id])
  await insertAudit(trx, { ...audit, action: 'user.totp_lock', details: { wrong_codes: MOST_WRONG_CODES } })
  return codesLocked(id)
}

const codesLocked = (userId: string) =>
  new ApiError(
    'SECOND_FACTOR_LOCKED',
    `${MOST_WRONG_CODES} wrong codes in a row have locked your authenticator app. Enter a recovery code, or ask an admin to unlock it.`,
    { cause: new SignInRefusal('code_locked', [userId]) },
  )

/** Hashes the password again when the settings of the hash have changed. If that fails, the new session goes on. */
async function renewHash({ db, log }: Deps, account: Account, password: string): Promise<void> {
  const { companyId, id, passwordHash: from } = account
  try {
    const to = await rehashed(from, password)
    if (to !== undefined) await replacePasswordHash(db, companyId, id, { from, to })
  } catch (error) {
    log.warn({ err: error, user_id: id }, 'the password keeps its former hash until the next sign-in')
  }
}
