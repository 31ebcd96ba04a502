import { steadySeconds } from './clock.mjs'
import { summarise } from './tally.mjs'

/** @typedef {{ delivered: number, attempts: number, duplicates: number, firstAt: number, lastAt: number }} Counts times: steady clock */

/** What arrived since the last reset: which webhook-id at which path, how often, and how long after it was sent. */
export class BenchArrivals {
  /** @type {Map<string, Map<string, number>>} requests that were answered well, by path and webhook-id */
  #byPath = new Map()
  /** @type {number[]} from sending to arrival, of each delivery's first request */
  #milliseconds = []
  /** @type {Counts} */
  #counts = { delivered: 0, attempts: 0, duplicates: 0, firstAt: 0, lastAt: 0 }
  /** @type {Set<{ delivered: number, resolve: () => void }>} */
  #waiters = new Set()

  /** @param {{ path: string, id: string, sentAt: number, isGood: boolean }} request isGood: it is answered with 2xx */
  add({ path, id, sentAt, isGood }) {
    const counts = this.#counts
    counts.attempts += 1
    if (!isGood) return
    const ids = this.#byPath.get(path) ?? new Map()
    if (ids.size === 0) this.#byPath.set(path, ids)
    const before = ids.get(id) ?? 0
    ids.set(id, before + 1)
    if (before > 0) return void (counts.duplicates += 1)
    counts.lastAt = steadySeconds()
    if (counts.delivered === 0) counts.firstAt = counts.lastAt
    counts.delivered += 1
    this.#milliseconds.push((counts.lastAt - sentAt) * 1000)
    for (const waiter of this.#waiters) {
      if (counts.delivered >= waiter.delivered) waiter.resolve()
    }
  }

  /** @param {{ delivered: number, timeoutMs: number }} wanted @returns {Promise<Counts>} once there are so many, or the time is over */
  async wait({ delivered, timeoutMs }) {
    if (this.#counts.delivered < delivered) {
      await new Promise((resolve) => {
        const waiter = { delivered, resolve: () => resolve(undefined) }
        this.#waiters.add(waiter)
        setTimeout(() => resolve(this.#waiters.delete(waiter)), timeoutMs)
      })
    }
    return { ...this.#counts }
  }

  /** @returns {Counts & { receivedMs: import('./tally.mjs').Times }} */
  figures() {
    return { ...this.#counts, receivedMs: summarise(this.#milliseconds) }
  }

  /**
   * Compares with what the api accepted.
   *
   * @param {{ ids: readonly string[], each: number }} accepted each: endpoints that every event must have reached
   * @returns {{ lost: number, unknown: number }} lost: deliveries that did not arrive; unknown: those that arrived without
   *   an accepted event
   */
  compare({ ids, each }) {
    const paths = [...this.#byPath.values()]
    const counts = ids.map((id) => paths.filter((arrived) => arrived.has(id)).length)
    const known = counts.reduce((sum, count) => sum + count, 0)
    const lost = counts.reduce((sum, count) => sum + Math.max(0, each - count), 0)
    return { lost, unknown: this.#counts.delivered - known }
  }
}
