import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiClient } from '../scripts/demo/http.mjs'

/** once: an uncertain answer stays uncertain; repeated: the call may be repeated as it is; keyed: it may, by an Idempotency-Key. */
export type CallMode = 'once' | 'repeated' | 'keyed'

/** What the api answered. */
type Reply = {
  /** 0: no answer came, or one that leaves open what happened. */
  readonly status: number
  readonly data: unknown
  readonly error: { readonly code: string; readonly message: string } | undefined
  readonly pagination?: { readonly next_cursor: string }
}

type Api = ReturnType<typeof apiClient>

/** Longer than the api lets a client wait for its feed. */
const TIMEOUT_MS = 40_000
const PAUSE_MS = 200
const NO_ANSWER: Reply = { status: 0, data: undefined, error: undefined }

/** A client of one api or of several: it goes on to the next one when one does not answer. */
export class SoakClient {
  /** What each try was answered. */
  readonly answers: string[] = []
  repeats = 0
  slowestMs = 0
  /** True: no call is repeated, and an uncertain answer stays uncertain. */
  hasToGiveUp = false
  readonly #apis: readonly Api[]
  #turn: number

  /** @param turn the api that is asked first */
  constructor(urls: readonly string[], key: string, turn = 0) {
    this.#apis = urls.map((url) => apiClient(url, key, TIMEOUT_MS))
    this.#turn = turn
  }

  /**
   * Makes a call. Unless its mode is `once`, it is repeated until the answer is certain.
   *
   * @returns status 0 if it is not certain what happened
   */
  async ask(method: string, path: string, body?: unknown, mode: CallMode = 'once'): Promise<Reply> {
    const headers = mode === 'keyed' ? { 'idempotency-key': randomUUID() } : undefined
    for (;;) {
      const reply = await this.#try(method, path, body, headers)
      const { status, error } = reply
      // After a 5xx the call may have been carried out. CONFLICT under an Idempotency-Key says that the first try still runs.
      const isOpen = status === 429 || (error?.code === 'CONFLICT' && mode === 'keyed')
      if (status !== 0 && status < 500 && !isOpen) return reply
      if (mode === 'once' || this.hasToGiveUp) return { ...reply, status: 0 }
      this.repeats += 1
      await sleep(PAUSE_MS)
    }
  }

  async #try(...call: Parameters<Api>): Promise<Reply> {
    const beganMs = performance.now()
    const reply: Reply = await this.#apis[this.#turn % this.#apis.length]!(...call).catch(() => NO_ANSWER)
    if (reply === NO_ANSWER) this.#turn += 1
    this.slowestMs = Math.max(this.slowestMs, performance.now() - beganMs)
    this.answers.push(reply === NO_ANSWER ? 'no answer' : String(reply.status))
    return reply
  }
}
