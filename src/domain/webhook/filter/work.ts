/**
 * The most work of judging one event by one filter, about 1 ms. A unit is one instruction of a pattern on one character; a
 * comparison takes WORK_PER_VALUE. The largest filter of FILTER_LIMITS fits, 60 instructions on 1,000 characters and 500
 * comparisons. Only an event with long arrays exceeds it.
 */
export const MOST_WORK = 72_000
export const WORK_PER_VALUE = 24

/**
 * The most work of judging one event by all filters of a tenant, about 50 ms. All that TENANT_FILTER_LIMITS allow fits:
 * patterns of 50 webhooks and 25,600 comparisons.
 */
export const MOST_EVENT_WORK = 52 * MOST_WORK

/** Judging an event took more than MOST_WORK. */
export class TooMuchWork extends Error {}

/** Counts the work of one judgement, which runs without a pause. */
export class Work {
  #left = 0
  /** True until the first judgement. The work of compiling, a few ms with many patterns, is then still to be counted. */
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
