import { ApiError } from '../domain/errors.ts'

type Options = {
  /** Pieces of work of one key that run at once. */
  readonly running: number
  /** Pieces of work of one key that wait for those; more are refused at once. */
  readonly waiting: number
  /** How long a piece of work waits before it is refused, in milliseconds. */
  readonly waitMs: number
  /** What the refusal says: the limit, and what the caller can do. */
  readonly message: string
}

type Waiter = { readonly admit: () => void; readonly timer: NodeJS.Timeout }
type Group = { running: number; readonly waiting: Waiter[] }

/**
 * Limits how much work each key (a company or a webhook) has under way in this process, so that none can take every
 * database connection. Work waits here before it takes a connection, first come, first served.
 */
export class ConcurrencyLimit {
  readonly #options: Options
  readonly #groups = new Map<string, Group>()

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * Runs the work once the key is below its limit.
   *
   * @throws ApiError RATE_LIMITED with Retry-After when too many wait already, or after `waitMs`
   */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const group = this.#groups.get(key) ?? { running: 0, waiting: [] }
    this.#groups.set(key, group)
    if (group.running < this.#options.running) group.running += 1
    else await this.#wait(group)
    try {
      return await work()
    } finally {
      this.#leave(key, group)
    }
  }

  /** Refuses before anything is read for the work. @throws ApiError RATE_LIMITED when too many wait already */
  refuseIfFull(key: string): void {
    const waiting = this.#groups.get(key)?.waiting.length ?? 0
    if (waiting > 0 && waiting >= this.#options.waiting) throw this.#refusal()
  }

  /** Resolves when work that ends lets this one begin; rejects after `waitMs`. */
  #wait(group: Group): Promise<void> {
    if (group.waiting.length >= this.#options.waiting) throw this.#refusal()
    return new Promise((admit, refuse) => {
      const timer = setTimeout(() => {
        group.waiting.splice(group.waiting.indexOf(waiter), 1)
        refuse(this.#refusal())
      }, this.#options.waitMs)
      const waiter = { admit, timer }
      group.waiting.push(waiter)
    })
  }

  #leave(key: string, group: Group): void {
    const next = group.waiting.shift()
    if (next) {
      clearTimeout(next.timer)
      next.admit()
      return
    }
    group.running -= 1
    if (group.running === 0) this.#groups.delete(key)
  }

  #refusal(): ApiError {
    const seconds = String(Math.max(1, Math.ceil(this.#options.waitMs / 1000)))
    return new ApiError('RATE_LIMITED', this.#options.message, { headers: { 'Retry-After': seconds } })
  }
}
