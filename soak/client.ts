import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * @typedef {object} Answer
 * @property {number} status 0: no answer came, or one that leaves open what happened
 * @property {any} data
 * @property {any} error
 * @property {number} sentAtMs of the first try, epoch
 * @property {number} answeredAtMs
 */

const PAUSE_MS = 400

/** An owner's client of the api. It repeats what may be repeated until the answer is certain, and counts the answers. */
export class SoakClient {
  /** @type {Map<string, number>} how often each answer came */
  answers = new Map()
  repeats = 0
  slowestMs = 0
  #api
  #hasToGiveUp = false

  /** @param {import('./stack.mjs').SoakStack['api']} api */
  constructor(api) {
    this.#api = api
  }

  /** From now on no call is repeated: what is not certain stays so. */
  giveUp() {
    this.#hasToGiveUp = true
  }

  /**
   * Calls the api.
   *
   * @param {string} method
   * @param {string} path
   * @param {{ body?: unknown, mode?: 'once' | 'repeated' | 'keyed' }} [options] repeated: the call itself may be
   *   repeated; keyed: it may, because of an Idempotency-Key
   * @returns {Promise<Answer>}
   */
  async call(method, path, { body, mode = 'once' } = {}) {
    const headers = mode === 'keyed' ? { 'idempotency-key': randomUUID() } : undefined
    const sentAtMs = Date.now()
    for (;;) {
      const answer = await this.#tryOnce(method, path, body, headers)
      const isOpen = isUncertain(answer, mode === 'keyed')
      if (!isOpen || mode === 'once' || this.#hasToGiveUp) {
        return { ...answer, status: isOpen ? 0 : answer.status, sentAtMs, answeredAtMs: Date.now() }
      }
      this.repeats += 1
      await sleep(PAUSE_MS)
    }
  }

  async #tryOnce(method, path, body, headers) {
    const beganMs = performance.now()
    const answer = await this.#api(method, path, body, headers).catch(() => NO_ANSWER)
    this.slowestMs = Math.max(this.slowestMs, performance.now() - beganMs)
    const name = answer.status === 0 ? 'no answer' : String(answer.status)
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1)
    return answer
  }
}

const NO_ANSWER = { status: 0, data: undefined, error: undefined }

/**
 * Whether the caller cannot know what happened. After a 5xx it may have happened. CONFLICT under an Idempotency-Key says
 * that the first try still holds the key.
 */
const isUncertain = ({ status, error }, isKeyed) =>
  status === 0 || status >= 500 || status === 429 || (isKeyed && error?.code === 'CONFLICT')
