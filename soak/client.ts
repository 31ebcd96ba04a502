import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SoakStack } from './stack.ts'

type Reply = {
  /** 0: no answer came, or one that leaves open what happened. */
  readonly status: number
  readonly data: unknown
  readonly error: { readonly code: string; readonly message: string } | undefined
}

/** Times are epoch milliseconds; `sentAtMs` is that of the first try. */
export type Answer = Reply & { readonly sentAtMs: number; readonly answeredAtMs: number }

/** repeated: the call itself may be repeated; keyed: it may, because of an Idempotency-Key. */
export type CallMode = 'once' | 'repeated' | 'keyed'

const PAUSE_MS = 400

/** An owner's client of the api. It repeats what may be repeated until the answer is certain, and counts the answers. */
export class SoakClient {
  /** How often each answer came. */
  readonly answers = new Map<string, number>()
  repeats = 0
  slowestMs = 0
  readonly #api: SoakStack['api']
  #hasToGiveUp = false

  constructor(api: SoakStack['api']) {
    this.#api = api
  }

  /** From now on no call is repeated: what is not certain stays so. */
  giveUp() {
    this.#hasToGiveUp = true
  }

  async call(
    method: string,
    path: string,
    { body, mode = 'once' }: { body?: unknown; mode?: CallMode } = {},
  ): Promise<Answer> {
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
    const reply = await call().catch(() => ({ status: 0, data: undefined, error: undefined }))
    this.slowestMs = Math.max(this.slowestMs, performance.now() - beganMs)
    const name = reply.status === 0 ? 'no answer' : String(reply.status)
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1)
    return reply
  }
}

/**
 * Whether the caller cannot know what happened. After a 5xx it may have happened. CONFLICT under an Idempotency-Key says
 * that the first try still holds the key.
 */
const isUncertain = ({ status, error }: Reply, isKeyed: boolean): boolean =>
  status === 0 || status >= 500 || status === 429 || (isKeyed && error?.code === 'CONFLICT')
