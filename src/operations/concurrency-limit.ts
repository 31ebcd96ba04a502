import { retryLater, type ApiError } from '../domain/errors.ts'

type Options = {
  /** How many pieces of work of one key run at once. */
  readonly running: number
  /** How many pieces of work of one key wait for a place. Further ones are refused without a wait. */
  readonly waiting: number
  /** How many pieces of work of all keys run at once; by default any number. */
  readonly runningInAll?: number
  /** How long a piece of work waits before it is refused, in milliseconds. */
  readonly waitMs: number
  /** What the refusal says: the limit, and what the caller can do. */
  readonly message: string
  /**
   * In milliseconds. A piece of work takes longer than this only if the service is slow. If a piece waits in vain, and
   * the key's work took longer than this on average, the refusal says that the service is busy. By default this is not
   * checked.
   */
  readonly usualMs?: number
}

/** Waits for something else, such as a slow client. During this wait the work does not count against `runningInAll`. */
export type Rest = (wait: () => Promise<void>) => Promise<void>

type Waiter = { readonly admit: () => void; readonly timer: NodeJS.Timeout }
type Group = { running: number; ended: number; readonly waiting: Waiter[] }

/**
 * Limits how much work runs at once in this process, for each key (a company or a webhook) and for all keys together.
 * So no key can take every database connection. Work waits here before it takes a connection. The work of one key is
 * done first come, first served; keys take turns.
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
   * Runs the work once the key is below its limit, and all keys together are below the limit of the process.
   *
   * @throws ApiError with Retry-After when too much work of the key waits already, or after `waitMs`. RATE_LIMITED when
   *   the key is at its limit; SERVICE_UNAVAILABLE when the process is at its limit or slow (`usualMs`)
   */
  async run<T>(key: string, work: (rest: Rest) => Promise<T>): Promise<T> {
    const group = this.#groups.get(key) ?? { running: 0, ended: 0, waiting: [] }
    const beginsNow = group.waiting.length === 0 && this.#hasRoom(group)
    if (!beginsNow && group.waiting.length >= this.#options.waiting) throw this.#refusal(group)
    this.#groups.set(key, group)
    if (beginsNow) this.#enter(group)
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

  /**
   * Throws when too much work of the key waits already. Call it first, so that nothing is read for work that is then
   * refused.
   *
   * @throws ApiError as run
   */
  refuseIfFull(key: string): void {
    const group = this.#groups.get(key)
    if (group && group.waiting.length >= Math.max(1, this.#options.waiting)) throw this.#refusal(group)
  }

  /**
   * While the work rests, other work may take its place. So after the rest, more than `runningInAll` pieces may run for
   * a while.
   */
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

  /** Resolves once the work may begin; rejects after `waitMs`. */
  #wait(key: string, group: Group): Promise<void> {
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

  /** Admits one piece of work, of the first waiting key that is below its limit. Checks each key at most once. */
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

  /** @param ended how many pieces of the key's work ended during the wait; by default there was no wait */
  #refusal(group: Group, ended = Infinity): ApiError {
    const { running, waitMs, usualMs, message } = this.#options
    // During the whole wait all places of the key were taken. So the pieces that ended took `running * waitMs` in
    // total.
    const isSlow = usualMs !== undefined && ended * usualMs < running * waitMs
    return group.running < running || isSlow
      ? retryLater('SERVICE_UNAVAILABLE', 'The service is busy: try again in a moment.', waitMs)
      : retryLater('RATE_LIMITED', message, waitMs)
  }
}
