/**
 * Works off what waits, one step after the other and never two at once. What comes during a step waits for the next one,
 * so that under load a step takes many together, and alone it begins at once.
 */
export class Drain {
  readonly #hasMore: () => boolean
  readonly #step: () => Promise<void>
  #isBusy = false

  /** @param step takes something of what waits, and never rejects */
  constructor(hasMore: () => boolean, step: () => Promise<void>) {
    this.#hasMore = hasMore
    this.#step = step
  }

  /** Whether a step is under way. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  /** Call it when something waits. Does nothing while a step is under way, which goes on to that by itself. */
  async run(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    while (this.#hasMore()) await this.#step()
    this.#isBusy = false
  }
}
