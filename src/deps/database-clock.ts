import { databaseNow } from '../db/clock.ts'
import type { Db } from '../db/connection/connection.ts'
import { LineInterval } from '../domain/line-interval.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

const MEASURE_EVERY_MS = 60_000
const WARN_BEYOND_MS = 1_000
/** With a larger difference a process is not ready. Receivers refuse signatures whose time is 5 minutes off. */
const READY_WITHIN_MS = 30_000
/** How often the log repeats that the clocks differ. */
const LINE_EVERY_MS = 600_000

type Parts = {
  readonly db: Db
  readonly log: Pick<Log, 'warn' | 'info'>
  readonly metrics: Pick<Metrics, 'clockOffset'>
  /** The clock of this machine; tests give another one. */
  readonly clock: () => Date
}

/**
 * Tells the database's time without a query for each call. It asks the database once a minute, and compares the answer
 * with this machine's clock. Between two answers it adds the time of a monotonic clock.
 */
export class DatabaseClock {
  readonly #parts: Parts
  readonly #lines = new LineInterval(LINE_EVERY_MS)
  #readMs: number
  #readAtMs = performance.now()
  #offsetMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#readMs = parts.clock().getTime()
  }

  /** The database's time, exact to half the duration of a query. Before the first answer it is this machine's time. */
  now(): Date {
    return new Date(this.#readMs + performance.now() - this.#readAtMs)
  }

  /** Whether this machine's clock is close enough to the database's clock. */
  isNear(): boolean {
    return Math.abs(this.#offsetMs) <= READY_WITHIN_MS
  }

  /** Asks the database now, and then once a minute until `stop`. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.measure(), MEASURE_EVERY_MS).unref()
    await this.measure()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Asks the database for its time. Never throws: if no answer comes, the latest answer stays in use. */
  async measure(): Promise<void> {
    const { db, log, metrics, clock } = this.#parts
    const startedMs = performance.now()
    const read = await databaseNow(db).catch(() => undefined)
    if (!read) return
    const halfMs = (performance.now() - startedMs) / 2
    this.#readMs = read.getTime() + halfMs
    this.#readAtMs = performance.now()
    const offsetMs = clock().getTime() - this.#readMs
    // Up to `halfMs` of the difference may come from the duration of the query.
    this.#offsetMs = Math.sign(offsetMs) * Math.max(0, Math.abs(offsetMs) - halfMs)
    metrics.clockOffset.set(this.#offsetMs / 1_000)
    if (Math.abs(this.#offsetMs) <= WARN_BEYOND_MS) {
      this.#lines.reset()
      return
    }
    if (this.#lines.admit(performance.now()) === undefined) return
    log.warn(
      { ahead_ms: Math.round(this.#offsetMs) },
      'the clock of this machine differs from the one of the database: synchronise both',
    )
  }
}
