import { hash, verify } from '@node-rs/argon2'
import { checkPassword } from '../../domain/user/user.ts'
import { ConcurrencyLimit } from '../concurrency-limit.ts'

/** OWASP Password Storage Cheat Sheet: argon2id (the package's default) with m = 46 MiB, t = 1, p = 1. */
const HASHING = { memoryCost: 47_104, timeCost: 1, parallelism: 1 }

/** How a hash with these settings begins. */
const START = `$argon2id$v=19$m=${HASHING.memoryCost},t=${HASHING.timeCost},p=${HASHING.parallelism}$`

/**
 * The hash of a random text that nobody knows: comparing with it takes as long as comparing with the hash of a user. A
 * user who must still set a password by a link has this hash.
 */
export const UNKNOWN_PASSWORD_HASH = `${START}CJknYIR0RPbNzhPwHmtIBw$owKLyhz48lKl8qPGPkvJ6ullzk9d3sW3Vzt7elIhZWQ`

const limitOf = (running: number) =>
  new ConcurrencyLimit({
    running,
    waiting: 40,
    waitMs: 3_000,
    message: 'Too many passwords are being checked at the moment: try again in some seconds.',
  })

/**
 * Each hash takes 46 MiB, about 30 ms, and one of the four threads of the process. These threads also read files and
 * look up host names. So at most three hashes run at once: two for strangers who sign in, and one for signed-in people
 * and the operator. Then even very many strangers cannot keep a signed-in person from an action that needs the
 * password, such as revoking a key.
 */
const LIMITS = { strangers: limitOf(2), known: limitOf(1) }

/** Who gave the password: a stranger, or a user who is signed in. */
export type Asker = keyof typeof LIMITS

const inTurn = <T>(asker: Asker, work: () => Promise<T>): Promise<T> => LIMITS[asker].run('', work)

/** Throws when no more strangers may wait, so that nothing is read for a refused sign-in. @throws ApiError RATE_LIMITED */
export const refuseStrangersIfFull = (): void => LIMITS.strangers.refuseIfFull('')

/**
 * Checks a new password and hashes it.
 *
 * @param field how the caller named the password
 * @throws ApiError VALIDATION_ERROR; RATE_LIMITED when too many passwords are hashed at the moment
 */
export async function hashNewPassword(
  password: string,
  field?: string,
  asker: Asker = 'known',
): Promise<string> {
  const common = await commonPasswords()
  checkPassword(password, (lowerCase) => common.has(lowerCase), field)
  return inTurn(asker, () => hash(password, HASHING))
}

/** Whether the password has this hash. Without a hash: false, after the same time. @throws ApiError RATE_LIMITED */
export async function isPassword(
  asker: Asker,
  passwordHash: string | undefined,
  password: string,
): Promise<boolean> {
  const isSame = await inTurn(asker, () => verify(passwordHash ?? UNKNOWN_PASSWORD_HASH, password))
  return isSame && passwordHash !== undefined
}

/** A new hash with the present settings; undefined if `passwordHash` has them already. Call it during a sign-in. */
export const rehashed = async (passwordHash: string, password: string): Promise<string | undefined> =>
  passwordHash.startsWith(START) ? undefined : inTurn('strangers', () => hash(password, HASHING))

let common: Promise<ReadonlySet<string>> | undefined

/** Loaded when the first password is set: nothing else needs the list. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  )
  return common
}
