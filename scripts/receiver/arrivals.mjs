/**
 * @typedef {import('./receiver.d.mts').ReceivedRequest} ReceivedRequest
 * @typedef {{ count: number, resolve: (requests: ReceivedRequest[]) => void }} Waiter
 */

/** Keeps what arrived at each path and wakes those who wait for it. */
export class Arrivals {
  /** @type {Map<string, ReceivedRequest[]>} */
  #requests = new Map()
  /** @type {Map<string, Set<Waiter>>} */
  #waiters = new Map()
  /** @type {Map<string, number>} how many requests next() handed out */
  #taken = new Map()

  /** @param {string} path @returns {ReceivedRequest[]} in the order of arrival */
  to(path) {
    return [...(this.#requests.get(path) ?? [])]
  }

  /** @param {ReceivedRequest} request */
  add(request) {
    const requests = this.#requests.get(request.path) ?? []
    requests.push(request)
    this.#requests.set(request.path, requests)
    for (const waiter of this.#waiters.get(request.path) ?? []) {
      if (requests.length >= waiter.count) waiter.resolve([...requests])
    }
  }

  /**
   * @param {string} path
   * @param {number} count
   * @param {number} timeoutMs
   * @returns {Promise<ReceivedRequest[]>} all requests to the path, at least `count`
   * @throws {Error} when the time is over
   */
  async atLeast(path, count, timeoutMs) {
    const present = this.to(path)
    if (present.length >= count) return present
    const waiters = this.#waiters.get(path) ?? new Set()
    this.#waiters.set(path, waiters)
    /** @type {Waiter} */
    const waiter = { count, resolve: () => {} }
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    try {
      return await new Promise((resolve, reject) => {
        waiters.add(Object.assign(waiter, { resolve }))
        timer = setTimeout(() => reject(this.#lateError(path, count, timeoutMs)), timeoutMs)
      })
    } finally {
      clearTimeout(timer)
      waiters.delete(waiter)
    }
  }

  /**
   * @param {string} path
   * @param {number} timeoutMs
   * @returns {Promise<ReceivedRequest>} the first request that no earlier call was given
   */
  async next(path, timeoutMs) {
    const index = this.#taken.get(path) ?? 0
    this.#taken.set(path, index + 1)
    const requests = await this.atLeast(path, index + 1, timeoutMs)
    return /** @type {ReceivedRequest} */ (requests[index])
  }

  /** @param {string} path @param {number} count @param {number} timeoutMs */
  #lateError(path, count, timeoutMs) {
    return new Error(
      `${path} got ${this.to(path).length} of ${count} expected requests within ${timeoutMs} ms`,
    )
  }
}
