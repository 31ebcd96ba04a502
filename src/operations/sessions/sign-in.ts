import { insertAudit } from '../../db/audit.js'
import { databaseNow } from '../../db/clock.js'
import { inTransaction } from '../../db/connection/connection.js'
import { insertSession } from '../../db/sessions.js'
import { listAccounts, type Account } from '../../db/system/sessions.js'
import { lockUser, replacePasswordHash } from '../../db/users.js'
import type { Actor } from '../../domain/actor.js'
import { ApiError } from '../../domain/errors.js'
import { isId } from '../../domain/ids.js'
import { hashSessionId, newSessionId } from '../../domain/user/session.js'
import { normalEmail } from '../../domain/user/user.js'
import type { Deps } from '../../process/deps.js'
import { isPassword, rehashed } from '../user/password-hash.js'
import { useCode } from '../user/second-factor.js'

/** Memberships with the same email whose passwords are compared. More belong to nobody who signs in here. */
const MOST_MEMBERSHIPS = 5

export type Credentials = {
  readonly email: string
  readonly password: string
  /** A code of the authenticator app, or a recovery code. */
  readonly code?: string
  readonly companyId?: string
}

export type SignIn =
  | { readonly kind: 'signed_in'; readonly sessionId: string }
  /** The email has this password in several companies: the person has to say in which one. */
  | { readonly kind: 'choose_company'; readonly companies: readonly { id: string; name: string }[] }

/** Runs a check of the user's code, or refuses it. */
export type GuardCode = <T>(userId: string, check: () => Promise<T>) => Promise<T>

/**
 * Begins a session. An unknown email takes as long as a wrong password, and gets the same answer.
 *
 * @param from the address and the request, for the audit
 * @param guardCode limits the wrong codes of a user; it runs the check of the code, which fails with the cause WRONG_CODE
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
  if (!account) throw invalidCredentials()
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
    )
  }
  const begin = () => beginSession(deps, account, { code, from })
  const sessionId = await (account.hasSecondFactor ? guardCode(account.id, begin) : begin())
  await renewHash(deps, account, credentials.password)
  return { kind: 'signed_in', sessionId }
}

/** The cause of the refusal where the password was right and the code was wrong; for the throttle, never shown. */
export const WRONG_CODE = 'wrong code'

/** The answer to a wrong email, password or code: it does not say which. */
const invalidCredentials = (cause?: string) =>
  new ApiError('INVALID_CREDENTIALS', 'The email, the password or the code is wrong.', { cause })

/** The memberships with the email that have the password. */
async function matchingAccounts(
  { db }: Deps,
  { email, password, companyId }: Credentials,
): Promise<Account[]> {
  const isKnowable = companyId === undefined || isId('company', companyId)
  const wanted = { email: normalEmail(email), companyId, limit: MOST_MEMBERSHIPS }
  const accounts = isKnowable ? await listAccounts(db, wanted) : []
  if (accounts.length === 0) await isPassword(undefined, password)
  const matching: Account[] = []
  for (const account of accounts) {
    if (await isPassword(account.passwordHash, password)) matching.push(account)
  }
  return matching
}

/** Compares again under lock: the password may have changed since it was compared, and a code serves once. */
async function beginSession(
  deps: Deps,
  account: Account,
  { code, from }: { readonly code: string | undefined; readonly from: Omit<Actor, 'id'> },
): Promise<string> {
  const sessionId = newSessionId()
  const { id: userId, companyId } = account
  await inTransaction(deps.db, async (trx) => {
    const user = await lockUser(trx, companyId, userId)
    if (user?.passwordHash !== account.passwordHash) throw invalidCredentials()
    if (user.hasSecondFactor && !(await useCode(trx, deps, user, code ?? ''))) {
      throw invalidCredentials(WRONG_CODE)
    }
    const now = await databaseNow(trx)
    await insertSession(trx, { idHash: hashSessionId(sessionId), companyId, userId, now })
    await insertAudit(trx, {
      ...{ companyId, at: now, actor: { id: userId, ...from } },
      ...{ action: 'session.start', targetId: userId },
    })
  })
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
