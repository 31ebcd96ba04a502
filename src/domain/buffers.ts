/**
 * Works in steps, one after the other, until nothing waits. What arrives during a step waits for the next step. So a step begins
 * at once under a light load, and takes many items together under a heavy load.
 */
export class Drain {
  readonly #hasMore: () => boolean
  readonly #step: () => Promise<void>
  #isBusy = false

  /** @param step handles some of the waiting items; its promise must never reject */
  constructor(hasMore: () => boolean, step: () => Promise<void>) {
    this.#hasMore = hasMore
    this.#step = step
  }

  /** Whether a step is under way. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  /** Call it when an item waits. If a step is under way, another step follows by itself. */
  async run(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    while (this.#hasMore()) await this.#step()
    this.#isBusy = false
  }
}

/** Adds up values by key until the caller takes the sums and writes them. If the write fails, the caller adds them again. */
export class Sums<Value> {
  readonly #plus: (sum: Value, value: Value) => Value
  #byKey = new Map<string, Value>()

  /** @param plus adds two values of a key, the earlier value first. It may change and return the earlier value */
  constructor(plus: (sum: Value, value: Value) => Value) {
    this.#plus = plus
  }

  /** How many keys have values. */
  get size(): number {
    return this.#byKey.size
  }

  add(key: string, value: Value): void {
    const sum = this.#byKey.get(key)
    this.#byKey.set(key, sum === undefined ? value : this.#plus(sum, value))
  }

  /** Returns the sums and starts again with none. */
  take(): ReadonlyMap<string, Value> {
    const taken = this.#byKey
    this.#byKey = new Map()
    return taken
  }
}

/**
 * Sets an entry of a map. Beyond `most` entries, it removes the entry that was set longest ago. Takes constant time.
 */
export function setLatest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
