/** Adds up values by key until the caller takes the sums to write them. The caller adds again what it could not write. */
export class Sums<Value> {
  readonly #plus: (sum: Value, value: Value) => Value
  #byKey = new Map<string, Value>()

  /** @param plus adds two values of a key, the earlier one first; it may change that one and return it */
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

  /** Gives the sums, and begins anew. */
  take(): ReadonlyMap<string, Value> {
    const taken = this.#byKey
    this.#byKey = new Map()
    return taken
  }
}
