import { PageHolds, type OnTry } from './page-holds.ts'

/**
 * Asks before the back button or a link leaves a screen. Create it before the router: a browser calls listeners of a window
 * in the order in which they were added, and the router navigates at once.
 */
export class PageGuard {
  readonly #holds = new PageHolds()

  constructor() {
    window.addEventListener('popstate', (event) => {
      const { href } = this.#holds
      if (href === undefined) return
      event.stopImmediatePropagation()
      window.history.pushState(null, '', href)
      this.attempt(() => window.history.back())
    })
    // Capture the click before React does: React's listeners are inside the page.
    window.addEventListener(
      'click',
      (event) => {
        const link = this.#holds.href !== undefined && linkAway(event)
        if (!link) return
        event.preventDefault()
        event.stopPropagation()
        this.attempt(() => link.click())
      },
      { capture: true },
    )
  }

  /**
   * Keeps the user on the page until it is released.
   *
   * @param onTry called at the back button, at a link inside the console, and at `attempt`
   * @returns the function that releases the page
   */
  hold(onTry: OnTry): () => void {
    return this.#holds.add({ href: window.location.href, onTry })
  }

  /** Leaves the page, or asks first if a screen holds the page. */
  attempt(leave: () => void): void {
    this.#holds.attempt(leave)
  }
}

/** The link to another page of the console, if the click follows it in this tab. */
function linkAway(event: MouseEvent): HTMLAnchorElement | undefined {
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null
  if (!isPlain || !link || link.target === '_blank' || link.origin !== window.location.origin)
    return undefined
  const isHere = link.pathname === window.location.pathname && link.search === window.location.search
  return isHere ? undefined : link
}
