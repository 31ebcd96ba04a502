import { retryLater, type ApiError } from '../domain/errors.ts'

type Options = {
  /** Pieces of work of one key that run at once. */
  readonly running: number
  /** Pieces of work of one key that wait for a place; further ones are refused without a wait. */
  readonly waiting: number
  /** Pieces of work of all keys that run at once; by default any number. */
  readonly runningInAll?: number
  /** How long a piece of work waits before it is refused, in milliseconds. */
  readonly waitMs: number
  /** What the refusal says: the limit, and what the caller can do. */
  readonly message: string
  /**
   * How long a piece of work takes at most, in milliseconds, unless the service is slow. When the key's work took longer on
   * average while a piece waited in vain, its refusal says that the service is busy, and not that the key is at its limit.
   * By default a slow service is never the reason.
   */
  readonly usualMs?: number
}

/** Waits for something else, such as a slow client. Meanwhile the work does not count against `runningInAll`. */
export type Rest = (wait: () => Promise<void>) => Promise<void>

type Waiter = { readonly admit: () => void; readonly timer: NodeJS.Timeout }
type Group = { running: number; ended: number; readonly waiting: Waiter[] }

/**
 * Limits how much work each key (a company or a webhook) has under way in this process, and all keys together. So no key
 * can take every database connection. Work waits here before it takes a connection. The work of one key is done first
 * come, first served; keys take turns.
 */
export class ConcurrencyLimit {
  readonly #options: Options
  readonly #groups = new Map<string, Group>()
  /** Keys with work that waits, in the order of their turns. */
  readonly #turns = new Set<string>()
  #runningInAll = 0

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * Runs the work once the key is below its limit, and all keys together below theirs.
   *
   * @throws ApiError with Retry-After when too many of the key wait already, or after `waitMs`: RATE_LIMITED when the key is
   *   at its own limit, SERVICE_UNAVAILABLE when the process is at its, or slow (`usualMs`)
   */
  async run<T>(key: string, work: (rest: Rest) => Promise<T>): Promise<T> {
    const group = this.#groups.get(key) ?? { running: 0, ended: 0, waiting: [] }
    this.#groups.set(key, group)
    if (group.waiting.length === 0 && this.#hasRoom(group)) this.#enter(group)
    else await this.#wait(key, group)
    try {
      return await work(this.#rest)
    } finally {
      this.#leave(key, group)
    }
  }

  /**
   * Takes a place of the key for work that ends elsewhere.
   *
   * @returns a function that gives the place back; further calls of it change nothing
   * @throws ApiError as run
   */
  enter(key: string): Promise<() => void> {
    return new Promise((enter, refuse) => {
      this.run(key, () => new Promise<void>(enter)).catch(refuse)
    })
  }

  /** Refuses before anything is read for the work. @throws ApiError as run, when too many of the key wait already */
  refuseIfFull(key: string): void {
    const group = this.#groups.get(key)
    if (group && group.waiting.length >= Math.max(1, this.#options.waiting)) throw this.#refusal(group)
  }

  /** While the work waits, other work may take its place. So when it goes on, more than `runningInAll` may run for a while. */
  readonly #rest: Rest = async (wait) => {
    this.#runningInAll -= 1
    this.#admitNext()
    await wait().finally(() => (this.#runningInAll += 1))
  }

  #hasRoom(group: Group): boolean {
    const { running, runningInAll = Infinity } = this.#options
    return group.running < running && this.#runningInAll < runningInAll
  }

  #enter(group: Group): void {
    group.running += 1
    this.#runningInAll += 1
  }

  /** Resolves when work that ends lets this one begin; rejects after `waitMs`. */
  #wait(key: string, group: Group): Promise<void> {
    if (group.waiting.length >= this.#options.waiting) throw this.#refusal(group)
    const { ended } = group
    return new Promise((admit, refuse) => {
      const timer = setTimeout(() => {
        group.waiting.splice(group.waiting.indexOf(waiter), 1)
        refuse(this.#refusal(group, group.ended - ended))
        this.#forgetIfIdle(key, group)
      }, this.#options.waitMs)
      const waiter = { admit, timer }
      group.waiting.push(waiter)
      this.#turns.add(key)
    })
  }

  #leave(key: string, group: Group): void {
    group.running -= 1
    group.ended += 1
    this.#runningInAll -= 1
    this.#admitNext()
    this.#forgetIfIdle(key, group)
  }

  /** Admits one piece of work, of the first waiting key that is below its own limit. It looks at each key once at most. */
  #admitNext(): void {
    for (const key of this.#turns) {
      const group = this.#groups.get(key)
      if (!group || !this.#hasRoom(group)) continue
      const next = group.waiting.shift()
      this.#turns.delete(key)
      if (!next) continue
      if (group.waiting.length > 0) this.#turns.add(key)
      clearTimeout(next.timer)
      this.#enter(group)
      next.admit()
      return
    }
  }

  #forgetIfIdle(key: string, group: Group): void {
    if (group.waiting.length > 0) return
    this.#turns.delete(key)
    if (group.running === 0) this.#groups.delete(key)
  }

  /** @param ended pieces of work of the key that ended while this one waited; by default it did not wait */
  #refusal(group: Group, ended = Infinity): ApiError {
    const { running, waitMs, usualMs, message } = this.#options
    // All places were taken the whole time: (running * waitMs) of work, shared by the pieces that ended.
    const isSlow = usualMs !== undefined && ended * usualMs < running * waitMs
    return group.running < running || isSlow
      ? retryLater('SERVICE_UNAVAILABLE', 'The service is busy: try again in a moment.', waitMs)
      : retryLater('RATE_LIMITED', message, waitMs)
  }
}
