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
   * @returns undefined: do not write the line. A number: write it, and say that this many lines before it were not written
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

  /** Call it when the state is over. The next line is then written at once. */
  reset(): void {
    this.#latestMs = Number.NEGATIVE_INFINITY
    this.#leftOut = 0
  }
}
