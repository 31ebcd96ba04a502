import { setTimeout as sleep } from 'node:timers/promises'
import { createReceiver } from '../receiver/receiver.mjs'

/**
 * good: answers 200, sometimes a little late. errors: mostly 500. hangs: often no answer, or the connection is cut.
 * refuses: takes no connections for spells, and answers 200 between them. dies: answers nothing but 500, or 429 with
 * Retry-After, for spells.
 *
 * @typedef {'good' | 'errors' | 'hangs' | 'refuses' | 'dies'} EndpointKind
 * @typedef {import('../receiver/receiver.d.mts').Behaviour} Behaviour
 * @typedef {import('../receiver/receiver.d.mts').Receiver} Receiver
 */

/** Every fifth webhook fails, in one of four ways. */
const KINDS = /** @type {const} */ (['errors', 'hangs', 'refuses', 'dies'])
const FAILING_EVERY = 5

/** @param {number} number of the webhook @returns {EndpointKind} */
export const kindOf = (number) =>
  number % FAILING_EVERY === FAILING_EVERY - 1
    ? (KINDS[Math.floor(number / FAILING_EVERY) % KINDS.length] ?? 'errors')
    : 'good'

const OPEN_MS = [4_000, 12_000]
const REFUSING_MS = [2_000, 6_000]
/** How likely an endpoint dies with a request, and for how long. */
const DEATH_CHANCE = 0.05
const DEAD_MS = /** @type {const} */ ([10_000, 30_000])

/** The endpoints of the soak on loopback, in this process. They fail as they are told, until they are healed. */
export class Endpoints {
  /** @type {Map<string, EndpointKind>} */
  #kinds = new Map()
  /** @type {Map<string, number>} by path: until when it is dead, epoch */
  #deadUntil = new Map()
  /** @type {{ atMs: number, cutUntilMs: number }[]} when connections began to be refused */
  spells = []
  #options
  #random
  #healing = new AbortController()
  /** @type {Promise<void> | undefined} */
  #spellsEnded
  /** @type {Receiver | undefined} */
  #steady
  /** @type {Receiver | undefined} of the endpoints that refuse connections for spells; undefined while they do */
  #refusing
  #refusingPort = 0

  /**
   * @param {{ tls: { cert: string, key: string }, record: import('./record.mjs').ReceiverRecord,
   *   random: import('./random.mjs').SeededRandom }} parts
   */
  constructor({ tls, record, random }) {
    this.#random = random
    const onRequest = (/** @type {import('./record.mjs').ReceivedRequest} */ request) => {
      record.add(request)
      this.#drawNext(request.path)
    }
    this.#options = { ...tls, isKept: false, onRequest }
  }

  async start() {
    this.#steady = await createReceiver(this.#options)
    await this.#listenAgain()
    this.#spellsEnded = this.#refuseForSpells()
  }

  /** @param {string} path @param {EndpointKind} kind @returns {string} its URL */
  add(path, kind) {
    this.#kinds.set(path, kind)
    this.#drawNext(path)
    const receiver = /** @type {Receiver} */ (this.#steady)
    return kind === 'refuses' ? `https://127.0.0.1:${this.#refusingPort}${path}` : receiver.url(path)
  }

  /** From now on every endpoint answers 200 at once. */
  async heal() {
    this.#healing.abort()
    await this.#spellsEnded
    for (const path of this.#kinds.keys()) this.#drawNext(path)
  }

  /** Draws how the path answers its next request. @param {string} path */
  #drawNext(path) {
    const kind = this.#kinds.get(path) ?? 'good'
    const receiver = kind === 'refuses' ? this.#refusing : this.#steady
    receiver?.behave(path, this.#isHealed() ? {} : this.#drawBehaviour(kind, path))
  }

  /** @param {EndpointKind} kind @param {string} path @returns {Behaviour} */
  #drawBehaviour(kind, path) {
    if (kind !== 'dies') return drawBehaviour(kind, this.#random)
    if (Date.now() >= (this.#deadUntil.get(path) ?? 0)) {
      if (!this.#random.isHit(DEATH_CHANCE)) return {}
      this.#deadUntil.set(path, Date.now() + this.#random.integer(...DEAD_MS))
    }
    return this.#random.isHit(0.1) ? { status: 429, headers: { 'retry-after': '2' } } : { status: 500 }
  }

  #isHealed() {
    return this.#healing.signal.aborted
  }

  async #refuseForSpells() {
    const pause = (/** @type {readonly number[]} */ [least = 0, most = 0]) =>
      sleep(this.#random.between(least, most), undefined, { signal: this.#healing.signal }).catch(() => {})
    await pause(OPEN_MS)
    while (!this.#isHealed()) {
      const atMs = Date.now()
      const receiver = this.#refusing
      this.#refusing = undefined
      await receiver?.close()
      this.spells.push({ atMs, cutUntilMs: Date.now() })
      await pause(REFUSING_MS)
      await this.#listenAgain()
      await pause(OPEN_MS)
    }
  }

  async #listenAgain() {
    this.#refusing = await createReceiver({ ...this.#options, port: this.#refusingPort })
    this.#refusingPort = this.#refusing.port
  }
}

/**
 * @param {EndpointKind} kind
 * @param {import('./random.mjs').SeededRandom} random
 * @returns {Behaviour}
 */
function drawBehaviour(kind, random) {
  if (kind === 'errors' && random.isHit(0.7)) return { status: 500 }
  if (kind === 'hangs' && random.isHit(0.5)) return random.isHit(0.8) ? { hang: true } : { reset: true }
  return kind === 'good' && random.isHit(0.1) ? { delayMs: random.integer(10, 400) } : {}
}
