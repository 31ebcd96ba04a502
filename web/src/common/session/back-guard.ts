/**
 * Asks before the back button leaves a screen. It must be made before the router is: browsers call the listeners of a window in
 * the order in which they came, and the router acts at once.
 */
export class BackGuard {
  #held: { readonly href: string; readonly onTry: () => void } | undefined

  constructor() {
    window.addEventListener('popstate', (event) => {
      if (!this.#held) return
      event.stopImmediatePropagation()
      window.history.pushState(null, '', this.#held.href)
      this.#held.onTry()
    })
  }

  /**
   * Holds the page where it is.
   *
   * @param onTry the back button was pressed, and the screen stayed
   * @returns what lets it go
   */
  hold(onTry: () => void): () => void {
    this.#held = { href: window.location.href, onTry }
    return () => (this.#held = undefined)
  }
}
