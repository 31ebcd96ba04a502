/** A value that components watch with useSyncExternalStore. */
export class Store<Value> {
  readonly #listeners = new Set<() => void>()
  #value: Value

  constructor(value: Value) {
    this.#value = value
  }

  readonly get = (): Value => this.#value

  set(value: Value): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const listener of this.#listeners) listener()
  }

  /** @returns the function that ends the subscription */
  readonly watch = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
