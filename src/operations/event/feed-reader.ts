/**
 * Why a wait ended. `news`: there may be something new. `over`: its time is up, its client is gone, or the process
 * stops. `unsure`: its time is up, but the latest read of the heads failed, so there may be something new.
 */
export type WaitEnd = 'news' | 'over' | 'unsure'

/** One reader that waits, or is about to wait. */
export class FeedReader {
  readonly #isUnsure: () => boolean
  /** Takes the reader out of FeedReaders; call it once. */
  readonly leave: () => void
  #place = Infinity
  #early: WaitEnd | undefined
  #resolve: ((end: WaitEnd) => void) | undefined

  constructor(isUnsure: () => boolean, leave: () => void) {
    this.#isUnsure = isUnsure
    this.leave = leave
  }

  get isWaiting(): boolean {
    return this.#resolve !== undefined
  }

  /** Call it before each read. If a ring comes after this call, the next wait ends at once. */
  begin(): void {
    if (this.#early === 'news') this.#early = undefined
  }

  /** Waits until there may be an event after this place in the feed, for `limitMs` at most. */
  async wait(place: number, limitMs: number): Promise<WaitEnd> {
    if (this.#early) return this.#early
    this.#place = place
    const timer = setTimeout(() => this.wake(this.#isUnsure() ? 'unsure' : 'over'), Math.max(0, limitMs))
    try {
      return await new Promise((resolve) => (this.#resolve = resolve))
    } finally {
      clearTimeout(timer)
      this.#resolve = undefined
      this.#place = Infinity
    }
  }

  /** Ends the wait under way. If there is none, ends the next wait. After `over`, every later wait ends at once. */
  wake(end: WaitEnd): void {
    if (this.#resolve) this.#resolve(end)
    if (!this.#resolve || end === 'over') this.#early = end
  }

  /** Ends the wait if the head of the feed is after the place from which the reader waits. */
  noteHead(head: number): void {
    if (head > this.#place) this.wake('news')
  }
}
