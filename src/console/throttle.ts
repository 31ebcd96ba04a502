import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { countedAddress } from '../api/auth/counted-address.ts'
import { ApiError } from '../domain/errors.ts'
import { normalEmail } from '../domain/user/user.ts'
import { refusalOfSignIn, SignInRefusal } from '../domain/user/sign-in.ts'
import type { GuardCode } from '../operations/sessions/sign-in.ts'

const WINDOW_S = 60
const HOUR_S = 3_600

/** Wrong passwords that one address may try for one email in a minute. */
const PER_ACCOUNT = 5
/** Wrong passwords that one address may try in a minute, of all emails. */
const PER_ADDRESS = 20
/** The wait after too many wrong passwords doubles each time from a minute up to this. */
const LONGEST_WAIT_S = 900
/** Right passwords from one address for one email in a minute. Those beyond count as wrong ones: each costs a hash. */
const RIGHT_ONES = 30
/** Wrong codes of a user in 15 minutes, from whatever addresses: codes have only six digits. */
const WRONG_CODES = 10

type Taken = {
  readonly counted: string
  /** The users whom a refusal concerns, where they are known. */
  readonly userIds?: readonly string[]
  /** Gives the wait in seconds. */
  readonly onFirstRefusal?: () => Promise<number>
}

/**
 * Slows down who guesses passwords, in this process. It counts by email and address together: nobody can lock a user out
 * from another address. An email that nobody has is counted alike.
 */
export class PasswordThrottle {
  readonly #byAccount = new RateLimiterMemory({ points: PER_ACCOUNT, duration: WINDOW_S })
  readonly #byAddress = new RateLimiterMemory({ points: PER_ADDRESS, duration: WINDOW_S })
  readonly #rightOnes = new RateLimiterMemory({ points: RIGHT_ONES, duration: WINDOW_S })
  readonly #codes = new RateLimiterMemory({ points: WRONG_CODES, duration: LONGEST_WAIT_S })
  readonly #breaches = new RateLimiterMemory({ points: 1_000, duration: HOUR_S })

  /**
   * Runs the check of a password. It counts as wrong until it is over, so that tries at the same time count too. A right
   * one does not count, and the wrong ones before it go on counting: the email may have another password elsewhere.
   *
   * @throws ApiError RATE_LIMITED with Retry-After in place of the check, and what the check throws
   */
  async run<T>(email: string, address: string, check: () => Promise<T>): Promise<T> {
    const from = countedAddress(address)
    const account = `${normalEmail(email)} ${from}`
    await this.#take(this.#byAccount, { counted: account, onFirstRefusal: () => this.#prolong(account) })
    try {
      await this.#take(this.#byAddress, { counted: from })
    } catch (error) {
      await giveBack(this.#byAccount, account)
      throw error
    }
    const forget = () => Promise.all([giveBack(this.#byAddress, from), giveBack(this.#byAccount, account)])
    try {
      const result = await check()
      if ((await this.#rightOnes.penalty(account)).consumedPoints <= RIGHT_ONES) await forget()
      return result
    } catch (error) {
      if (!isWrong(error)) await forget()
      throw error
    }
  }

  /**
   * Runs the check of a user's code behind the right password. It counts as wrong until it is over. Only sign-in asks for
   * codes, so whoever has no more than the password cannot keep its owner from changing it.
   *
   * @throws ApiError RATE_LIMITED with Retry-After in place of the check, and what the check throws
   */
  readonly guardCode: GuardCode = async (userId, check) => {
    await this.#take(this.#codes, { counted: userId, userIds: [userId] })
    try {
      const result = await check()
      await giveBack(this.#codes, userId)
      return result
    } catch (error) {
      if (refusalOfSignIn(error)?.reason !== 'wrong_code') await giveBack(this.#codes, userId)
      throw error
    }
  }

  async #take(
    limiter: RateLimiterMemory,
    { counted, userIds = [], onFirstRefusal = () => Promise.resolve(0) }: Taken,
  ): Promise<void> {
    try {
      await limiter.consume(counted)
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection
      const isFirst = rejection.consumedPoints === limiter.points + 1
      const prolongedS = isFirst ? await onFirstRefusal() : 0
      throw refusal(Math.max(prolongedS, Math.ceil(rejection.msBeforeNext / 1000), 1), userIds)
    }
  }

  /** @returns the wait in seconds */
  async #prolong(account: string): Promise<number> {
    const { consumedPoints } = await this.#breaches.penalty(account)
    const waitS = Math.min(WINDOW_S * 2 ** (consumedPoints - 1), LONGEST_WAIT_S)
    await this.#byAccount.block(account, waitS)
    return waitS
  }
}

/** Takes back a point that still counts. Without one the count would become negative, and allow more tries than it should. */
async function giveBack(limiter: RateLimiterMemory, counted: string): Promise<void> {
  if (((await limiter.get(counted))?.consumedPoints ?? 0) > 0) await limiter.reward(counted)
}

/** Whether a password or a code was wrong. Any other failure, such as a missing code, is no try that counts. */
const isWrong = (error: unknown): boolean => error instanceof ApiError && error.code === 'INVALID_CREDENTIALS'

const refusal = (seconds: number, userIds: readonly string[]) =>
  new ApiError('RATE_LIMITED', `Too many tries: wait ${seconds} seconds.`, {
    cause: new SignInRefusal('throttled', userIds),
    headers: { 'Retry-After': String(seconds) },
  })
