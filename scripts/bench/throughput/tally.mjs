/** @typedef {{ count: number, p50: number, p95: number, p99: number, maximum: number }} Times milliseconds; NaN becomes null in JSON */

/** @param {readonly number[]} milliseconds @returns {Times} */
export function summarise(milliseconds) {
  const sorted = Float64Array.from(milliseconds).sort()
  const at = (/** @type {number} */ share) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), maximum: at(1) }
}

/** Counts the answers to publishes, and remembers the ids of the events that were accepted. */
export class AnswerTally {
  /** @type {string[]} */
  #ids = []
  /** @type {number[]} */
  #milliseconds = []
  /** @type {Record<string, number>} */
  #refused = {}

  /** @param {import('./load-connection.mjs').Answer} answer @param {number} milliseconds since it was due */
  add({ status, body }, milliseconds) {
    if (status !== 201) {
      this.#refused[status] = (this.#refused[status] ?? 0) + 1
      return
    }
    this.#milliseconds.push(milliseconds)
    for (const [, id] of body.toString('latin1').matchAll(/"id":"([^"]+)"/g)) this.#ids.push(id ?? '')
  }

  /** @returns {{ ids: string[], requests: number, refused: Record<string, number>, answerMs: Times }} */
  result() {
    const answerMs = summarise(this.#milliseconds)
    return { ids: this.#ids, requests: this.#milliseconds.length, refused: this.#refused, answerMs }
  }
}
