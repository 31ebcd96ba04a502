import { setTimeout as delay } from 'node:timers/promises'
import { listAccounts, type Account } from '../../db/user/users.ts'
import { ApiError } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import { evenWaitMs, SignInRefusal } from '../../domain/user/sign-in.ts'
import { normalEmail } from '../../domain/user/user.ts'
import type { SystemDeps } from '../../deps/deps.ts'
import { isPassword } from '../user/password-hash.ts'

/** How many memberships with the same email have their passwords compared. Nobody who signs in has more. */
const MOST_MEMBERSHIPS = 5

type Login = { readonly email: string; readonly password: string; readonly companyId?: string }

/** The answer to a wrong email, password or code: it does not say which. The cause does. */
export const refused = (reason: SignInRefusal['reason'], userIds: readonly string[]) =>
  new ApiError('INVALID_CREDENTIALS', 'The email, the password or the code is wrong.', {
    cause: new SignInRefusal(reason, userIds),
  })

/**
 * The memberships with the email that have the password, at least one. It takes the same time however many accounts there are
 * (docs/decisions, The time of a refused sign-in).
 *
 * @throws ApiError INVALID_CREDENTIALS when none has it
 */
export async function matchingAccounts(
  { db }: Pick<SystemDeps, 'db'>,
  { email, password, companyId }: Login,
): Promise<readonly [Account, ...Account[]]> {
  const isKnowable = companyId === undefined || isId('company', companyId)
  const wanted = { email: normalEmail(email), companyId, limit: MOST_MEMBERSHIPS }
  const accounts = isKnowable ? await listAccounts(db, wanted) : []
  const startedMs = performance.now()
  if (accounts.length === 0) await isPassword('strangers', undefined, password)
  const matching: Account[] = []
  for (const account of accounts) {
    if (await isPassword('strangers', account.passwordHash, password)) matching.push(account)
  }
  const [first, ...others] = matching
  if (first) return [first, ...others]
  await delay(evenWaitMs(performance.now() - startedMs, Math.max(1, accounts.length), MOST_MEMBERSHIPS))
  throw refused(
    accounts.length === 0 ? 'unknown_email' : 'wrong_password',
    accounts.map(({ id }) => id),
  )
}
