import { setTimeout as sleep } from 'node:timers/promises'
import { apiClient } from '../scripts/demo/http.mjs'

/** What the api answered to one try. */
export type Reply = {
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

  /** Makes one try. Status 0: it is not certain what happened. */
  async ask(...call: Parameters<Api>): Promise<Reply> {
    const beganMs = performance.now()
    const reply: Reply = await this.#apis[this.#turn % this.#apis.length]!(...call).catch(() => NO_ANSWER)
    if (reply === NO_ANSWER) this.#turn += 1
    this.slowestMs = Math.max(this.slowestMs, performance.now() - beganMs)
    this.answers.push(reply === NO_ANSWER ? 'no answer' : String(reply.status))
    return isUncertain(reply, call) ? { ...reply, status: 0 } : reply
  }

  /** Repeats a call that may be repeated until its answer is certain. */
  async askUntilCertain(...call: Parameters<Api>): Promise<Reply> {
    for (;;) {
      const reply = await this.ask(...call)
      if (reply.status !== 0 || this.hasToGiveUp) return reply
      this.repeats += 1
      await sleep(PAUSE_MS)
    }
  }
}

/**
 * Whether the caller cannot know what happened. After a 5xx the call may have been carried out. CONFLICT under an Idempotency-Key
 * says that the first try still runs.
 */
const isUncertain = ({ status, error }: Reply, [, , , headers]: Parameters<Api>): boolean =>
  status === 0 ||
  status >= 500 ||
  status === 429 ||
  (error?.code === 'CONFLICT' && headers?.['idempotency-key'] !== undefined)
