import { RateLimiterMemory, RateLimiterRes, type RateLimiterMySQL } from 'rate-limiter-flexible'
import { createDatabaseLimiter, type CountedLimit } from '../../db/rate-limits.ts'
import type { SystemDeps } from '../../deps/deps.ts'

/** What came of a try: how many count now, and for how long it is refused; 0: it is not. */
type Taken = { readonly count: number; readonly waitS: number }

/**
 * A limit that holds over all api processes: the memory of this process in front, the database behind it. `take` counts in
 * memory alone, so only what the caller reports is written. What all processes together used up, or blocked, is blocked in
 * memory too, and costs the database nothing from then on. While the database is away the memory is what limits.
 */
export class SharedLimit {
  readonly #points: number
  readonly #memory: RateLimiterMemory
  readonly #database: RateLimiterMySQL

  constructor({ db }: Pick<SystemDeps, 'db'>, limit: CountedLimit) {
    this.#points = limit.points
    this.#memory = new RateLimiterMemory({ points: limit.points, duration: limit.durationS })
    this.#database = createDatabaseLimiter(db, limit)
  }

  /** Counts a try in this process. */
  async take(counted: string): Promise<Taken> {
    try {
      return { count: (await this.#memory.consume(counted)).consumedPoints, waitS: 0 }
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection
      return { count: rejection.consumedPoints, waitS: secondsOf(rejection) }
    }
  }

  /** Takes back a try that still counts. Without one the count would become negative, and allow more tries than it should. */
  async giveBack(counted: string): Promise<void> {
    if (((await this.#memory.get(counted))?.consumedPoints ?? 0) > 0) await this.#memory.reward(counted)
  }

  /**
   * Reads what all processes reported.
   *
   * @returns for how many seconds it is refused; 0: it is not
   * @throws the database's error
   */
  async waitOf(counted: string): Promise<number> {
    const found = await this.#database.get(counted)
    return found ? this.#blockIfUsedUp(counted, found) : 0
  }

  /**
   * Writes tries that `take` counted.
   *
   * @returns how many all processes reported; those of this process while the database is away
   */
  async report(counted: string, tries = 1): Promise<number> {
    const found = await orNothing(this.#database.penalty(counted, tries))
    if (!found) return (await this.#memory.get(counted))?.consumedPoints ?? 0
    await this.#blockIfUsedUp(counted, found)
    return found.consumedPoints
  }

  /** Refuses it in all processes from now on, for so many seconds. */
  async block(counted: string, seconds: number): Promise<void> {
    await Promise.all([
      this.#memory.block(counted, seconds),
      orNothing(this.#database.block(counted, seconds)),
    ])
  }

  async #blockIfUsedUp(counted: string, found: RateLimiterRes): Promise<number> {
    if (found.consumedPoints < this.#points) return 0
    const waitS = secondsOf(found)
    await this.#memory.block(counted, waitS)
    return waitS
  }
}

const secondsOf = ({ msBeforeNext }: RateLimiterRes): number => Math.max(1, Math.ceil(msBeforeNext / 1000))

/** A database that is away has counted nothing. */
const orNothing = <T>(result: Promise<T>): Promise<T | undefined> => result.catch(() => undefined)
