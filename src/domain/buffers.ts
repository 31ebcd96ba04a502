/**
 * Works through what waits in steps, never two at once. What arrives during a step waits for the next one. So a step
 * begins at once while there is little to do, and takes many together under load.
 */
export class Drain {
  readonly #hasMore: () => boolean
  readonly #step: () => Promise<void>
  #isBusy = false

  /** @param step takes something of what waits, and never rejects */
  constructor(hasMore: () => boolean, step: () => Promise<void>) {
    this.#hasMore = hasMore
    this.#step = step
  }

  /** Whether a step is under way. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  /** Call it when something waits. If a step is under way, another one follows by itself. */
  async run(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    while (this.#hasMore()) await this.#step()
    this.#isBusy = false
  }
}

/** Adds up values by key until the caller takes the sums to write them. The caller adds again what it could not write. */
export class Sums<Value> {
  readonly #plus: (sum: Value, value: Value) => Value
  #byKey = new Map<string, Value>()

  /** @param plus adds two values of a key, the earlier one first; it may change and return the earlier one */
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

  /** Returns the sums, and begins anew. */
  take(): ReadonlyMap<string, Value> {
    const taken = this.#byKey
    this.#byKey = new Map()
    return taken
  }
}

/** Sets an entry of a map that keeps at most `most`, and removes the one that was set longest ago. Takes constant time. */
export function setLatest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
