/** Each turn of the event loop does this share of the work that waits, and one piece at least. */
const SHARE = 1 / 64

/**
 * Spreads a burst of work over turns of the event loop, so that other work gets its turn. Each turn does a share of what
 * waits. So nothing waits for more than a few hundred turns, however large the burst is.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []

  /** Does the work in one of the next turns, after what was added before it. */
  add(work: () => void): void {
    this.#waiting.push(work)
    if (this.#waiting.length === 1) setImmediate(() => this.#next())
  }

  #next(): void {
    const count = Math.ceil(this.#waiting.length * SHARE)
    for (const work of this.#waiting.slice(0, count)) work()
    this.#waiting.splice(0, count)
    if (this.#waiting.length > 0) setImmediate(() => this.#next())
  }
}
