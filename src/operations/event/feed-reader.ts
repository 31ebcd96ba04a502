/**
 * Why a wait ended. `news`: there may be something new. `over`: its time is over, or nobody may wait any more. `unsure`: its time is
 * over and the latest look at the heads failed, so there may be something new.
 */
export type WaitEnd = 'news' | 'over' | 'unsure'

/** One reader that waits, or is about to. */
export class FeedReader {
  readonly #isUnsure: () => boolean
  /** Gives the reader's place in FeedReaders back; call it once. */
  readonly leave: () => void
  #position = Infinity
  #early: WaitEnd | undefined
  #resolve: ((end: WaitEnd) => void) | undefined

  constructor(isUnsure: () => boolean, leave: () => void) {
    this.#isUnsure = isUnsure
    this.leave = leave
  }

  get isWaiting(): boolean {
    return this.#resolve !== undefined
  }

  /** Call it before each read: a ring from now on ends the next wait at once. */
  begin(): void {
    if (this.#early === 'news') this.#early = undefined
  }

  /** Waits until there is something after the position, for `limitMs` at most. */
  async wait(position: number, limitMs: number): Promise<WaitEnd> {
    if (this.#early) return this.#early
    this.#position = position
    const timer = setTimeout(() => this.wake(this.#isUnsure() ? 'unsure' : 'over'), Math.max(0, limitMs))
    try {
      return await new Promise((resolve) => (this.#resolve = resolve))
    } finally {
      clearTimeout(timer)
      this.#resolve = undefined
      this.#position = Infinity
    }
  }

  /** Ends the wait under way, or else the next one. After `over` every later wait ends at once. */
  wake(end: WaitEnd): void {
    if (this.#resolve) this.#resolve(end)
    if (!this.#resolve || end === 'over') this.#early = end
  }

  /** Ends the wait if the latest event of the feed, at the place `head`, is after the reader's position. */
  noteHead(head: number): void {
    if (head > this.#position) this.wake('news')
  }
}
