import { insertAudit } from '../../db/audit.ts'
import { databaseNow } from '../../db/clock.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { deleteSurplusSessions, insertSession } from '../../db/sessions.ts'
import type { Account } from '../../db/system/sessions.ts'
import { lockUser, replacePasswordHash } from '../../db/users.ts'
import type { Actor } from '../../domain/actor.ts'
import { ApiError } from '../../domain/errors.ts'
import { hashSessionId, MOST_SESSIONS, newSessionId } from '../../domain/user/session.ts'
import { SignInRefusal } from '../../domain/user/sign-in.ts'
import type { Deps } from '../../process/deps.ts'
import { rehashed } from '../user/password-hash.ts'
import { useCode } from '../user/use-code.ts'
import { matchingAccounts, refused } from './matching-accounts.ts'

export type Credentials = Parameters<typeof matchingAccounts>[1] & {
  /** A code of the authenticator app, or a recovery code. */
  readonly code?: string
}

export type SignIn =
  | { readonly kind: 'signed_in'; readonly sessionId: string }
  /** The email has this password in several companies: the person has to say in which one. */
  | { readonly kind: 'choose_company'; readonly companies: readonly { id: string; name: string }[] }

/** Runs a check of the user's code, or refuses it. */
export type GuardCode = <T>(userId: string, check: () => Promise<T>) => Promise<T>

/**
 * Begins a session. An unknown email takes as long as a wrong password, and gets the same answer. The cause of a refusal is
 * a SignInRefusal.
 *
 * @param from the address and the request, for the audit
 * @param guardCode limits the wrong codes of a user; it runs the check of the code
 * @throws ApiError INVALID_CREDENTIALS; SECOND_FACTOR_REQUIRED when the password is right and a code is missing
 */
export async function signIn(
  deps: Deps,
  credentials: Credentials,
  from: Omit<Actor, 'id'>,
  guardCode: GuardCode = (_userId, check) => check(),
): Promise<SignIn> {
  const matching = await matchingAccounts(deps, credentials)
  const [account, ...others] = matching
  if (others.length > 0) {
    return {
      kind: 'choose_company',
      companies: matching.map(({ companyId: id, companyName: name }) => ({ id, name })),
    }
  }
  const { code } = credentials
  if (account.hasSecondFactor && code === undefined) {
    throw new ApiError(
      'SECOND_FACTOR_REQUIRED',
      'Enter the code of your authenticator app, or a recovery code.',
      { cause: new SignInRefusal('code_missing', [account.id]) },
    )
  }
  const begin = () => beginSession(deps, account, { code, from })
  const sessionId = await (account.hasSecondFactor ? guardCode(account.id, begin) : begin())
  await renewHash(deps, account, credentials.password)
  return { kind: 'signed_in', sessionId }
}

/**
 * Compares again under lock: the password may have changed since it was compared, and a code serves once. Ends the sessions
 * that are too many; after a recovery code all others, because the device with the app is lost.
 */
async function beginSession(
  deps: Deps,
  account: Account,
  { code, from }: { readonly code: string | undefined; readonly from: Omit<Actor, 'id'> },
): Promise<string> {
  const sessionId = newSessionId()
  const { id: userId, companyId } = account
  const hasBegun = await inTransaction(deps.db, async (trx) => {
    const user = await lockUser(trx, companyId, userId)
    if (user?.passwordHash !== account.passwordHash) throw refused('wrong_password', [userId])
    const factor = user.hasSecondFactor ? await useCode(trx, deps, user, code ?? '') : 'none'
    const now = await databaseNow(trx)
    const audit = { companyId, at: now, actor: { id: userId, ...from }, targetId: userId }
    if (factor === undefined) {
      await insertAudit(trx, { ...audit, action: 'session.refuse', details: { reason: 'wrong_code' } })
      return false
    }
    const most = factor === 'recovery_code' ? 0 : MOST_SESSIONS - 1
    const ended = await deleteSurplusSessions(trx, companyId, userId, most)
    await insertSession(trx, { idHash: hashSessionId(sessionId), companyId, userId, now })
    const details = {
      ...(factor !== 'none' && { second_factor: factor }),
      ...(ended > 0 && { ended_sessions: ended }),
    }
    await insertAudit(trx, { ...audit, action: 'session.start', details })
    return true
  })
  if (!hasBegun) throw refused('wrong_code', [userId])
  return sessionId
}

/** Hashes the password again when the settings of the hash have changed. The session has begun, whatever comes of it. */
async function renewHash({ db, log }: Deps, account: Account, password: string): Promise<void> {
  const { companyId, id, passwordHash: from } = account
  try {
    const to = await rehashed(from, password)
    if (to !== undefined) await replacePasswordHash(db, companyId, id, { from, to })
  } catch (error) {
    log.warn({ err: error, user_id: id }, 'the password keeps its former hash until the next sign-in')
  }
}
