/** Values that are added up by key until somebody takes them, to write them together. What could not be written is added again. */
export class Sums<Value> {
  readonly #plus: (sum: Value, value: Value) => Value
  #byKey = new Map<string, Value>()

  /** @param plus the sum of two values of a key, the earlier one first; it may change that one and give it back */
  constructor(plus: (sum: Value, value: Value) => Value) {
    this.#plus = plus
  }

  /** Of how many keys there are values. */
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
