/**
 * Limits the log lines about a state that lasts: the first line is written, then one in each interval.
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
   * Asks to write a line now.
   *
   * @param nowMs milliseconds since any fixed moment
   * @returns undefined: leave the line out. A number: write it; this many lines before it were left out
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

  /** Call it when the state is over, so that the next line is a first one again. */
  reset(): void {
    this.#latestMs = Number.NEGATIVE_INFINITY
    this.#leftOut = 0
  }
}
