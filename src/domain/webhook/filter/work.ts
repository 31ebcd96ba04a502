/**
 * The work that judging one event by one filter may take: about 1 ms at most. A comparison takes WORK_PER_VALUE; a pattern takes
 * its instructions times the characters that it is tested on.
 */
export const MOST_WORK = 30_000
export const WORK_PER_VALUE = 10

/** An event has more to compare than MOST_WORK. */
export class TooMuchWork extends Error {}

/** Counts the work of one judgement, which runs without a pause. */
export class Work {
  #left = 0
  /** Whether the filter was just compiled, which takes a few milliseconds where it has many patterns. */
  isFresh = true

  begin(): void {
    this.isFresh = false
    this.#left = MOST_WORK
  }

  /** What the latest judgement took. */
  get spent(): number {
    return MOST_WORK - this.#left
  }

  spend(work: number): void {
    this.#left -= work
    if (this.#left < 0) throw new TooMuchWork()
  }
}
