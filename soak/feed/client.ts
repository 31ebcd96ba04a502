import { setTimeout as sleep } from 'node:timers/promises'

/** What an api answered; status 0: nothing certain. */
type FeedReply = { readonly status: number; readonly body: unknown }

const PAUSE_MS = 200

/** A client of several apis: it goes on to the next one when one does not answer. */
export class RotatingClient {
  readonly #urls: readonly string[]
  readonly #key: string
  #turn: number

  /** @param turn the api that is asked first */
  constructor(urls: readonly string[], key: string, turn: number) {
    this.#urls = urls
    this.#key = key
    this.#turn = turn
  }

  /** One try. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<FeedReply> {
    try {
      const response = await fetch(`${this.#urls[this.#turn % this.#urls.length]}${path}`, {
        method,
        headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(40_000),
      })
      const { status } = response
      const isCertain = status < 500 && status !== 429 && status !== 409
      return { status: isCertain ? status : 0, body: await response.json() }
    } catch {
      this.#turn += 1
      return { status: 0, body: undefined }
    }
  }

  /** Repeats a call that may be repeated until its answer is certain. */
  async askUntilCertain(...call: Parameters<RotatingClient['ask']>): Promise<FeedReply> {
    for (;;) {
      const reply = await this.ask(...call)
      if (reply.status !== 0) return reply
      await sleep(PAUSE_MS)
    }
  }
}

/** The settings of a writer or a reader, from its environment. */
export function readSettings() {
  const { FEED_URLS = '', FEED_KEY = '', FEED_NAME = '', FEED_FILE = '' } = process.env
  const turn = Number(FEED_NAME.replaceAll(/\D/g, ''))
  return {
    client: new RotatingClient(FEED_URLS.split(','), FEED_KEY, turn),
    name: FEED_NAME,
    file: FEED_FILE,
  }
}
