/**
 * Works through what waits in steps, never two at once. What arrives during a step waits for the next one. So a step
 * begins at once while there is little to do, and takes many together under load.
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

  /** Call it when something waits. If a step is under way, another one follows by itself. */
  async run(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    while (this.#hasMore()) await this.#step()
    this.#isBusy = false
  }
}
