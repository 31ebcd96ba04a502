/** Called when the user tries to leave a screen that is held. `leave` continues what the user wanted. */
export type OnTry = (leave: () => void) => void

type Hold = { readonly href: string; readonly onTry: OnTry }

/**
 * The holds of a page. A dialog may hold the page above a form that holds it too, and the form still holds it after the
 * dialog has closed. The latest hold is asked.
 */
export class PageHolds {
  #holds: readonly Hold[] = []

  /** The address of the page that is held; undefined if nothing holds it. */
  get href(): string | undefined {
    return this.#holds.at(-1)?.href
  }

  /** @returns the function that ends this hold only */
  add(hold: Hold): () => void {
    this.#holds = [...this.#holds, hold]
    return () => {
      this.#holds = this.#holds.filter((other) => other !== hold)
    }
  }

  /** Leaves, or asks first if something holds the page. It asks once, for the page with all its forms. */
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
