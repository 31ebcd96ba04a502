/** Told that somebody tries to leave the screen, which stays. `leave` does what they wanted. */
export type OnTry = (leave: () => void) => void

type Hold = { readonly href: string; readonly onTry: OnTry }

/**
 * What holds a page where it is. A dialog holds it above the form behind, and that form still does when the dialog has closed.
 * The last one is asked.
 */
export class PageHolds {
  #holds: readonly Hold[] = []

  /** The address of the page that is held; undefined while nothing holds one. */
  get href(): string | undefined {
    return this.#holds.at(-1)?.href
  }

  /** @returns what ends this hold, and no other one */
  add(hold: Hold): () => void {
    this.#holds = [...this.#holds, hold]
    return () => {
      this.#holds = this.#holds.filter((other) => other !== hold)
    }
  }

  /** Leaves, or asks first while something holds the page. It asks once: the answer is about the page with all its forms. */
  attempt(leave: () => void): void {
    const hold = this.#holds.at(-1)
    if (!hold) {
      leave()
      return
    }
    hold.onTry(() => {
      this.#holds = []
      leave()
    })
  }
}
