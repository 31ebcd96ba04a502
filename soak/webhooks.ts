/** @typedef {'active' | 'inactive' | 'deleted'} KnownState @typedef {KnownState | 'unknown'} State unknown: a call is under way */

/** Around a change of a webhook an event may see it as it was or as it is. */
const MARGIN_MS = 250

/**
 * A webhook as its owner knows it: what the api has answered, and since when. Times are epoch milliseconds of this
 * process.
 */
export class SoakWebhook {
  /** @type {string | undefined} undefined until the api has answered with it */
  id
  /** A change is under way; a second one would make the order of the two unknown. */
  isBusy = false
  /** Whether it may have a secret that no answer has shown. */
  hasUnknownSecret = false
  /** @type {{ atMs: number, state: State }[]} before its creation it is like an inactive one */
  #states = [{ atMs: -Infinity, state: 'inactive' }]

  /**
   * @param {{ path: string, url: string, types: readonly string[], kind: import('./endpoints.mjs').EndpointKind }} settings
   */
  constructor({ path, url, types, kind }) {
    this.path = path
    this.url = url
    this.types = types
    this.kind = kind
  }

  /** @returns {State} as it is now */
  get state() {
    return this.#states.at(-1)?.state ?? 'unknown'
  }

  /** No answer has shown its newest secret. */
  missSecret() {
    this.hasUnknownSecret = true
  }

  /** @param {State} state from now on */
  become(state) {
    this.#states.push({ atMs: Date.now(), state })
  }

  /**
   * @param {number} fromMs
   * @param {number} untilMs
   * @returns {State} the state during the whole time, with a margin; unknown when it changed
   */
  stateDuring(fromMs, untilMs) {
    const seen = this.#states.filter(({ atMs }, index) => {
      const endMs = this.#states[index + 1]?.atMs ?? Infinity
      return atMs <= untilMs + MARGIN_MS && endMs >= fromMs - MARGIN_MS
    })
    const states = new Set(seen.map(({ state }) => state))
    const [only = 'unknown'] = states
    return states.size === 1 ? only : 'unknown'
  }
}

/** All webhooks that there ever were. */
export class SoakWebhooks {
  /** @type {SoakWebhook[]} */
  all = []

  /**
   * @param {import('./random.mjs').SeededRandom} random
   * @param {{ states?: readonly State[], isWanted?: (webhook: SoakWebhook) => boolean }} [options]
   * @returns {SoakWebhook | undefined} a wanted webhook in one of the states that is not being changed
   */
  pick(random, { states = ['active', 'inactive'], isWanted = () => true } = {}) {
    const free = this.all.filter(({ id, state, isBusy }) => id && !isBusy && states.includes(state))
    return random.pick(free.filter(isWanted))
  }
}
