import { setTimeout as delay } from 'node:timers/promises'
import { doublingPause } from '../domain/doubling.ts'
import { ApiError } from '../domain/errors.ts'
import { readNext, type FeedAnswer, type FeedEvent } from './feed-client.ts'
import { forward } from './forward.ts'
import type { Report } from './report.ts'
import type { ListenSettings } from './command.ts'

/** How long the api waits for an event: the longest wait that it accepts. */
const WAIT_S = 30
const PAUSE_MS = { first: 1_000, longest: 30_000 }
/** If an empty answer comes sooner than this, the api did not wait: it has no place for another waiting request. */
const EARLY_MS = 1_000

/**
 * Follows the feed and forwards the events in order, one at a time. It goes on after lost connections, and after
 * refusals that are only temporary. `cursor` moves past an event when its post is over, whatever came of the post.
 */
export class Listener {
  readonly #settings: ListenSettings
  readonly #report: Report
  readonly #stopped: AbortSignal
  #cursor: string
  #isReady = false
  /** How many requests in a row failed and must be made again. */
  #tries = 0

  constructor(settings: ListenSettings, report: Report, stopped: AbortSignal) {
    this.#settings = settings
    this.#report = report
    this.#stopped = stopped
    this.#cursor = settings.since
  }

  /** Where a later run can go on. */
  get cursor(): string {
    return this.#cursor
  }

  /** Resolves when it is stopped. @throws ApiError for an error that would come again at every try */
  async run(): Promise<void> {
    for (;;) {
      const startedAtMs = performance.now()
      // The first answer comes at once: it tells whether key and address are right, and where `end` is.
      const request = { after: this.#cursor, waitS: this.#isReady ? WAIT_S : 0, stopped: this.#stopped }
      const answer = await readNext(this.#settings, request)
      if (this.#stopped.aborted) return
      await this.#take(answer, performance.now() - startedAtMs < EARLY_MS)
    }
  }

  async #take(answer: FeedAnswer, isEarly: boolean): Promise<void> {
    if (answer.kind === 'later') return this.#waitAfter(answer)
    if (answer.kind === 'expired') return this.#goOnAtOldest(answer.message)
    const isFirst = !this.#isReady
    if (isFirst) this.#report.ready(this.#settings)
    else if (this.#tries > 0) this.#report.goesOn(this.#cursor)
    this.#isReady = true
    this.#tries = 0
    if (answer.event) await this.#forward(answer.event, answer.cursor)
    else {
      this.#cursor = answer.cursor
      if (isEarly && !isFirst && !answer.hasMore) await this.#pause(EARLY_MS)
    }
  }

  async #forward(event: FeedEvent, cursor: string): Promise<void> {
    const posted = await forward(this.#settings, event, this.#stopped)
    // If a stop cut this post off, the cursor stays, so that a later run posts the event again.
    if (this.#stopped.aborted && posted.status === null) return
    this.#cursor = cursor
    this.#report.event(event, posted, cursor)
  }

  async #waitAfter({ why, isUnreachable, waitMs }: FeedAnswer & { kind: 'later' }): Promise<void> {
    const { api } = this.#settings
    if (!this.#isReady && isUnreachable)
      throw new ApiError('SERVICE_UNAVAILABLE', `Nothing answers at ${api} (${why}): check --api.`)
    if (this.#tries === 0) this.#report.lost(api, why)
    this.#tries += 1
    await this.#pause(Math.max(waitMs, doublingPause(PAUSE_MS, this.#tries - 1)))
  }

  async #goOnAtOldest(message: string): Promise<void> {
    this.#report.expired(this.#cursor, message)
    this.#cursor = 'start'
    await this.#pause(PAUSE_MS.first)
  }

  /** Ends early when it is stopped. */
  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stopped }).catch(() => undefined)
  }
}
