import { RateLimiterMemory, type RateLimiterMySQL, type RateLimiterRes } from 'rate-limiter-flexible'
import { createDatabaseLimiter, type CountedLimit } from '../../db/rate-limits.ts'
import type { SystemDeps } from '../../deps/deps.ts'
import { secondsOf } from '../middleware/rate-limit.ts'

/** `count`: how many tries count now. `waitS`: for how many seconds the try is refused; 0 if it is not. */
type Taken = { readonly count: number; readonly waitS: number }

/**
 * A limit over all api processes, with one counter in this process's memory and one in the database. `take` counts only
 * in memory, and `report` writes. If all processes together have used up the limit of an address or account, this
 * process also blocks this address or account in memory. Then its further tries cost the database nothing. While the
 * database is away, each process limits by its memory.
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
    const taken = await this.#memory.penalty(counted)
    const count = taken.consumedPoints
    return { count, waitS: count > this.#points ? secondsOf(taken) : 0 }
  }

  /** Takes back a try, if there is one: a negative count would allow more tries than the limit. */
  async giveBack(counted: string): Promise<void> {
    if (((await this.#memory.get(counted))?.consumedPoints ?? 0) > 0) await this.#memory.reward(counted)
  }

  /**
   * Reads how many tries all processes have reported.
   *
   * @returns for how many seconds `counted` is refused; 0 if it is not
   * @throws the database's error
   */
  async waitOf(counted: string): Promise<number> {
    const found = await this.#database.get(counted)
    return found ? this.#blockIfUsedUp(counted, found) : 0
  }

  /**
   * Writes tries that `take` counted.
   *
   * @returns how many tries all processes have reported; while the database is away, how many this process counts
   */
  async report(counted: string, tries = 1): Promise<number> {
    const found = await orNothing(this.#database.penalty(counted, tries))
    if (!found) return (await this.#memory.get(counted))?.consumedPoints ?? 0
    await this.#blockIfUsedUp(counted, found)
    return found.consumedPoints
  }

  /** Refuses `counted` in all processes for this many seconds. */
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

/** undefined if the database is away. */
const orNothing = <T>(result: Promise<T>): Promise<T | undefined> => result.catch(() => undefined)
