/**
 * Decides which lines of a state that lasts are written to the log: the first, and then one in each interval.
 *
 * @param everyMs shortest time between two lines, in milliseconds
 */
export class LineInterval {
  readonly #everyMs: number
  #latestMs = Number.NEGATIVE_INFINITY
  #leftOut = 0

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /**
   * Whether a line may be written now.
   *
   * @param nowMs milliseconds; may count from anywhere
   * @returns how many lines were left out since the one before; undefined when this one is left out too
   */
  admit(nowMs: number): number | undefined {
    if (nowMs - this.#latestMs < this.#everyMs) {
      this.#leftOut += 1
      return undefined
    }
    const leftOut = this.#leftOut
    this.#latestMs = nowMs
    this.#leftOut = 0
    return leftOut
  }

  /** The state is over: the next line is a first one again. */
  reset(): void {
    this.#latestMs = Number.NEGATIVE_INFINITY
    this.#leftOut = 0
  }
}
