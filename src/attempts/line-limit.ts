/** The webhook that a line is about. */
export type WebhookIds = { readonly webhookId: string; readonly companyId: string }

type LineLimitOptions = {
  /** At most this many lines of one webhook are written within any second. */
  readonly perSecond: number
  /**
   * Called a second after the first line was left out, or at the stop. `webhook` is undefined for webhooks that are not
   * tracked.
   */
  readonly onLeftOut: (webhook: WebhookIds | undefined, lines: number) => void
  /** At most this many webhooks are tracked at once. All other webhooks share one allowance. */
  readonly maximumWebhooks?: number
  /** A clock in milliseconds; only tests give one. */
  readonly nowMs?: () => number
}

type Entry = {
  readonly webhook: WebhookIds | undefined
  /** When lines were written, oldest first. `forget` drops times older than a second. */
  writtenAtMs: number[]
  leftOut: number
  firstLeftOutAtMs: number
}

const SECOND_MS = 1_000
const SWEEP_EVERY_MS = 250
const MAXIMUM_WEBHOOKS = 10_000

/**
 * Decides which log lines of a webhook are written: a few within any second, then one line with the number of lines
 * left out. It remembers a webhook for a second. One timer serves all webhooks. The timer runs only while webhooks are
 * remembered, and does not keep the process alive.
 */
export class LineLimit {
  readonly #options: LineLimitOptions
  readonly #nowMs: () => number
  readonly #entries = new Map<string, Entry>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: LineLimitOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
  }

  /** The number of webhooks that are remembered now. */
  get size(): number {
    return this.#entries.size
  }

  /** Whether a line of this webhook may be written now. If not, counts the line as left out. */
  admit(webhook: WebhookIds): boolean {
    const entry = this.#entryOf(webhook)
    const nowMs = this.#nowMs()
    forget(entry, nowMs)
    if (entry.writtenAtMs.length < this.#options.perSecond) {
      entry.writtenAtMs.push(nowMs)
      return true
    }
    if (entry.leftOut === 0) entry.firstLeftOutAtMs = nowMs
    entry.leftOut += 1
    return false
  }

  /** Reports the lines left out until now and forgets all webhooks. */
  stop(): void {
    for (const entry of this.#entries.values()) this.#report(entry)
    this.#entries.clear()
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #entryOf(webhook: WebhookIds): Entry {
    const isTracked =
      this.#entries.has(webhook.webhookId) ||
      this.#entries.size < (this.#options.maximumWebhooks ?? MAXIMUM_WEBHOOKS)
    const key = isTracked ? webhook.webhookId : ''
    const known = this.#entries.get(key)
    if (known) return known
    const entry: Entry = {
      webhook: isTracked ? webhook : undefined,
      writtenAtMs: [],
      leftOut: 0,
      firstLeftOutAtMs: 0,
    }
    this.#entries.set(key, entry)
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_EVERY_MS).unref()
    return entry
  }

  #sweep(): void {
    const nowMs = this.#nowMs()
    for (const [key, entry] of this.#entries) {
      forget(entry, nowMs)
      if (nowMs - entry.firstLeftOutAtMs >= SECOND_MS) this.#report(entry)
      if (entry.leftOut === 0 && entry.writtenAtMs.length === 0) this.#entries.delete(key)
    }
    if (this.#entries.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #report(entry: Entry): void {
    if (entry.leftOut > 0) this.#options.onLeftOut(entry.webhook, entry.leftOut)
    entry.leftOut = 0
  }
}

function forget(entry: Entry, nowMs: number): void {
  entry.writtenAtMs = entry.writtenAtMs.filter((atMs) => nowMs - atMs < SECOND_MS)
}
