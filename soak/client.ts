import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiClient } from '../scripts/demo/http.mjs'
import type { Answer, Ledger, Reply, Statuses } from './ledger.ts'
import type { SoakStack } from './stack.ts'

/** repeated: the call itself may be repeated; keyed: it may, because of an Idempotency-Key. */
export type CallMode = 'once' | 'repeated' | 'keyed'

type Call = { readonly method?: string; readonly body?: unknown; readonly mode?: CallMode }

const PAUSE_MS = 400

/** An owner's client of the api. It repeats what may be repeated until the answer is certain, and counts the answers. */
export class SoakClient {
  /** How often each answer came. */
  readonly answers = new Map<string, number>()
  repeats = 0
  slowestMs = 0
  readonly #api: SoakStack['api']
  readonly #ledger: Ledger
  #hasToGiveUp = false

  constructor(api: SoakStack['api'], ledger: Ledger) {
    this.#api = api
    this.#ledger = ledger
  }

  /** From now on no call is repeated: what is not certain stays so. */
  giveUp() {
    this.#hasToGiveUp = true
  }

  /** Makes a call for a change or a request, and notes the answer in the ledger. `isDone`: it was a success. */
  async ask(name: string, path: string, { good, allowed = [], method = 'POST', ...call }: Call & Statuses) {
    const answer = await this.call(path, { method, ...call })
    return { ...answer, isDone: this.#ledger.note(name, answer, { good, allowed }) }
  }

  async call(path: string, { method = 'GET', body, mode = 'once' }: Call = {}): Promise<Answer> {
    const headers = mode === 'keyed' ? { 'idempotency-key': randomUUID() } : undefined
    const sentAtMs = Date.now()
    for (;;) {
      const reply = await this.#tryOnce(() => this.#api(method, path, body, headers))
      const isOpen = isUncertain(reply, mode === 'keyed')
      if (!isOpen || mode === 'once' || this.#hasToGiveUp)
        return { ...reply, status: isOpen ? 0 : reply.status, sentAtMs, answeredAtMs: Date.now() }
      this.repeats += 1
      await sleep(PAUSE_MS)
    }
  }

  async #tryOnce(call: () => Promise<Reply>): Promise<Reply> {
    const beganMs = performance.now()
    const reply = await call().catch(() => NO_ANSWER)
    this.slowestMs = Math.max(this.slowestMs, performance.now() - beganMs)
    const name = reply.status === 0 ? 'no answer' : String(reply.status)
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1)
    return reply
  }
}

/** Longer than the api lets a client wait for its feed. */
const FEED_TIMEOUT_MS = 40_000
const TURN_PAUSE_MS = 200

/** A client of several apis: it goes on to the next one when one does not answer. */
export class RotatingClient {
  readonly #apis: readonly SoakStack['api'][]
  #turn: number

  /** @param turn the api that is asked first */
  constructor(urls: readonly string[], key: string, turn: number) {
    this.#apis = urls.map((url) => apiClient(url, key, FEED_TIMEOUT_MS))
    this.#turn = turn
  }

  /** One try. Status 0: nothing certain. */
  async ask(...call: Parameters<SoakStack['api']>): Promise<Reply & { readonly pagination?: Pagination }> {
    try {
      const reply = await this.#apis[this.#turn % this.#apis.length]!(...call)
      return isUncertain(reply, true) ? { ...reply, status: 0 } : reply
    } catch {
      this.#turn += 1
      return NO_ANSWER
    }
  }

  /** Repeats a call that may be repeated until its answer is certain. */
  async askUntilCertain(...call: Parameters<RotatingClient['ask']>): ReturnType<RotatingClient['ask']> {
    for (;;) {
      const reply = await this.ask(...call)
      if (reply.status !== 0) return reply
      await sleep(TURN_PAUSE_MS)
    }
  }
}

type Pagination = { readonly next_cursor: string }
const NO_ANSWER: Reply = { status: 0, data: undefined, error: undefined }

/**
 * Whether the caller cannot know what happened. After a 5xx it may have happened. CONFLICT under an Idempotency-Key says
 * that the first try still holds the key.
 */
const isUncertain = ({ status, error }: Reply, isKeyed: boolean): boolean =>
  status === 0 || status >= 500 || status === 429 || (isKeyed && error?.code === 'CONFLICT')
