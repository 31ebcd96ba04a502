import { RateLimiterMemory } from 'rate-limiter-flexible'
import { countedAddress } from '../api/edge/request.ts'
import { SharedLimit } from '../api/auth/shared-limit.ts'
import { doublingPause } from '../domain/doubling.ts'
import { ApiError } from '../domain/errors.ts'
import { keyedHash } from '../domain/sealing/sealing.ts'
import type { Session } from '../domain/user/session.ts'
import { SignInRefusal } from '../domain/user/sign-in.ts'
import { normalEmail } from '../domain/user/user.ts'
import type { SystemDeps } from '../deps/deps.ts'

const WINDOW_S = 60
const HOUR_S = 3_600

/** How many wrong passwords are allowed in a minute: from one address for one email, or in one session. */
const PER_ACCOUNT = 5
/** How many wrong passwords one address may try in a minute, over all emails. */
const PER_ADDRESS = 20
/** The wait after too many wrong passwords, in seconds. It begins with `first` and doubles until it is `longest`. */
const WAIT_S = { first: WINDOW_S, longest: 900 }
/**
 * In a minute, this many right passwords of an account do not count as tries. Each check costs a hash, so this process
 * counts further right passwords as wrong tries.
 */
const RIGHT_ONES = 30

/** The counters of a try: a hash of email and address, or of the session. Before the sign-in also the address alone. */
type Counted = readonly [account: string, address?: string]

/**
 * Slows down the guessing of passwords, over all api processes. A process keeps the count of unfinished tries in its
 * memory, and writes only wrong tries to the database. Before the sign-in a try counts for email and address together,
 * so nobody at another address can lock out a user. Unknown emails count in the same way. After the sign-in a try
 * counts for the session, so a stranger cannot lock out a signed-in user either.
 */
export class PasswordThrottle {
  readonly #byAccount: SharedLimit
  readonly #byAddress: SharedLimit
  readonly #breaches: SharedLimit
  readonly #rightOnes = new RateLimiterMemory({ points: RIGHT_ONES, duration: WINDOW_S })
  readonly #hashOf: (account: string) => string

  constructor(deps: Pick<SystemDeps, 'config' | 'db'>) {
    this.#byAccount = new SharedLimit(deps, { name: 'password', points: PER_ACCOUNT, durationS: WINDOW_S })
    this.#byAddress = new SharedLimit(deps, { name: 'sign-in', points: PER_ADDRESS, durationS: WINDOW_S })
    this.#breaches = new SharedLimit(deps, { name: 'guesses', points: 1_000, durationS: HOUR_S })
    // Users sometimes type their password as the email, so the database must not contain this text in clear.
    this.#hashOf = (account) => keyedHash(deps.config.secretsKeys, `throttle|${account}`)
  }

  /** Runs the check of a stranger's email and password. @throws what `#run` throws */
  ofStranger<T>(email: string, address: string, check: () => Promise<T>): Promise<T> {
    const from = countedAddress(address)
    return this.#run([this.#hashOf(`${normalEmail(email)} ${from}`), from], check)
  }

  /** Runs the check of a signed-in user's password. @throws what `#run` throws */
  ofSession<T>({ idHash }: Pick<Session, 'idHash'>, check: () => Promise<T>): Promise<T> {
    return this.#run([this.#hashOf(idHash.toString('base64'))], check)
  }

  /**
   * Runs the check of a password. The try counts as wrong until the check has ended, so that simultaneous tries count
   * too. A right password takes back only its own try. Earlier wrong tries still count, because the email may have
   * another password in another company.
   *
   * @throws what the check throws. ApiError RATE_LIMITED with Retry-After if there were too many tries: then the check
   *   does not run
   */
  async #run<T>(counted: Counted, check: () => Promise<T>): Promise<T> {
    const [account, address] = counted
    refuseIf((await this.#byAccount.take(account)).waitS)
    try {
      if (address !== undefined) refuseIf((await this.#byAddress.take(address)).waitS)
      refuseIf(await this.#waitOf(counted))
      const result = await check()
      if ((await this.#rightOnes.penalty(account)).consumedPoints <= RIGHT_ONES) await this.#forget(counted)
      return result
    } catch (error) {
      await (isWrong(error) ? this.#report(counted) : this.#forget(counted))
      throw error
    }
  }

  /** For how many seconds all processes refuse such a try; 0 if they do not refuse it. */
  async #waitOf([account, address]: Counted): Promise<number> {
    const ofAccount = this.#byAccount.waitOf(account)
    if (address === undefined) return ofAccount
    return Math.max(...(await Promise.all([ofAccount, this.#byAddress.waitOf(address)])))
  }

  async #forget([account, address]: Counted): Promise<void> {
    await this.#byAccount.giveBack(account)
    if (address !== undefined) await this.#byAddress.giveBack(address)
  }

  /** Records a wrong password in at most three rows. The try that reaches the limit starts the wait. */
  async #report([account, address]: Counted): Promise<void> {
    if (address !== undefined) await this.#byAddress.report(address)
    if ((await this.#byAccount.report(account)) !== PER_ACCOUNT) return
    await this.#breaches.take(account)
    const breaches = await this.#breaches.report(account)
    await this.#byAccount.block(account, doublingPause(WAIT_S, breaches - 1))
  }
}

/** Whether a password or a code was wrong, or codes are locked. No other failure, such as a missing code, counts as a try. */
const isWrong = (error: unknown): boolean =>
  error instanceof ApiError && ['INVALID_CREDENTIALS', 'SECOND_FACTOR_LOCKED'].includes(error.code)

function refuseIf(waitS: number): void {
  if (waitS === 0) return
  throw new ApiError('RATE_LIMITED', `Too many tries: wait ${waitS} seconds.`, {
    cause: new SignInRefusal('throttled', []),
    headers: { 'Retry-After': String(waitS) },
  })
}
