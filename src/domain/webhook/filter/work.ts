/**
 * The work that judging one event by one filter may take: about 1 ms at most. A comparison takes WORK_PER_VALUE; a pattern takes
 * its instructions times the characters that it is tested on. So there is room for all that FILTER_LIMITS allow, 60
 * instructions on 1,000 characters and 500 comparisons: only arrays can be too much.
 */
export const MOST_WORK = 72_000
export const WORK_PER_VALUE = 24

/**
 * The work that judging one event by all filters of a tenant may take: about 50 ms at most. There is room for all that
 * TENANT_FILTER_LIMITS allow, patterns of 50 webhooks and 25,600 comparisons: only arrays can be too much.
 */
export const MOST_EVENT_WORK = 52 * MOST_WORK

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
