/**
 * Judging one event by one filter may take this much work, about 1 ms. The unit is one instruction of a pattern on one
 * character. A comparison counts as WORK_PER_VALUE. This is enough for the largest filter within FILTER_LIMITS: 60
 * instructions on 1,000 characters, and 500 comparisons. Only an event with long arrays exceeds the limit.
 */
export const MOST_WORK = 72_000
export const WORK_PER_VALUE = 24

/**
 * Judging one event by all filters of a tenant may take this much work, about 50 ms. This is enough for the largest
 * filters within TENANT_FILTER_LIMITS: the patterns of 50 webhooks, and 25,600 comparisons.
 */
export const MOST_EVENT_WORK = 52 * MOST_WORK

/** Thrown if it takes more than MOST_WORK to judge an event. */
export class TooMuchWork extends Error {}

/** Counts the work of one judgement. A judgement runs without a pause. */
export class Work {
  #left = 0
  /**
   * True until the first judgement. While it is true, nobody has counted the work of compiling yet, which is a few ms
   * with many patterns.
   */
  isFresh = true

  begin(): void {
    this.isFresh = false
    this.#left = MOST_WORK
  }

  /** The work of the latest judgement. */
  get spent(): number {
    return MOST_WORK - this.#left
  }

  spend(work: number): void {
    this.#left -= work
    if (this.#left < 0) throw new TooMuchWork()
  }
}
