import { withStatementLimit } from '../db/connection/query-guard.ts'
import { isStatementTimeout } from '../db/connection/errors.ts'
import { retryLater } from '../domain/errors.ts'
import { LATEST_COMMIT_MS } from '../domain/event/event.ts'
import { ConcurrencyLimit, type Rest } from './concurrency-limit.ts'

const MIB = 1024 * 1024

/** How long a client may take to send a request, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 30_000

/**
 * How many milliseconds after its admission a request may still write. Its body may take REQUEST_TIMEOUT_MS to arrive.
 * Then its writes may take LATEST_COMMIT_MS, the limit for the publish of an event. The last 5 s are margin.
 */
export const LONGEST_REQUEST_MS = REQUEST_TIMEOUT_MS + LATEST_COMMIT_MS + 5_000

type CostClassLimits = {
  /** How many requests of one company run at once in this process. */
  readonly atOnce: number
  /** How many requests of all companies run at once in this process; companies take turns. */
  readonly atOnceInAll: number
  /** How many requests of one company wait for a place. */
  readonly waiting: number
  /** How long a request waits for a place before it is refused, in milliseconds. */
  readonly waitMs: number
  /** How long the database may work on one SELECT, in milliseconds; by default the 4 s of the connection. */
  readonly statementMs?: number
  /** A request reads at most this many index and table rows, even for the largest tenant that our limits allow. */
  readonly rows: number
  /** How many bytes an answer has at most. */
  readonly bytes: number
  /** How many points a request takes from the limit per company and minute. */
  readonly points: number
}

const READ = { waitMs: 2_000, statementMs: 2_000, bytes: 2 * MIB }
const PAGE = { ...READ, waiting: 50, rows: 20_000, bytes: 64 * MIB, points: 5 }
const WRITE = { atOnce: 128, atOnceInAll: 512, waiting: 500, waitMs: 3_000, bytes: 2 * MIB, points: 1 }

/**
 * What a route may cost. A process has 16 connections to the database, and others for publishes. `list` and `report`
 * use a connection for a long time, so together they may use 12 of the 16. Writes share transactions, so many writes
 * need few connections.
 */
export const COST_CLASSES = {
  /** Reads a bounded number of rows by primary key, or no rows. */
  cheap: { ...READ, atOnce: 32, atOnceInAll: 256, waiting: 500, rows: 2_000, points: 1 },
  /** Reads a page of rows. */
  list: { atOnce: 2, atOnceInAll: 8, ...PAGE },
  /** Waits for events, for half a minute at most. Its reads also have the limits of `list`. */
  feed: { atOnce: 128, atOnceInAll: 1_280, ...PAGE },
  /** Adds up or counts rows. */
  report: { ...READ, atOnce: 2, atOnceInAll: 4, waiting: 16, rows: 2_000_000, points: 20 },
  /** Changes one object. */
  write: { ...WRITE, rows: 2_000 },
  /** Makes many rows: a batch of events with all their deliveries. */
  bulk: { ...WRITE, rows: 50_000 },
} satisfies Record<string, CostClassLimits>

export type CostClass = keyof typeof COST_CLASSES

type EnforcedLimits = { readonly limit: ConcurrencyLimit; readonly statementMs: number | undefined }

/** Enforces the limits of the cost classes in this process. CompanyRate enforces the limit per company and minute. */
export class CostLimits {
  readonly #limits: Readonly<Record<CostClass, EnforcedLimits>>

  constructor(classes: Readonly<Record<CostClass, CostClassLimits>> = COST_CLASSES) {
    const limits = Object.entries(classes).map(([name, { statementMs, ...rest }]) => {
      const { atOnce: running, atOnceInAll: runningInAll, waiting, waitMs } = rest
      const message = `At most ${running} requests of this kind run at once: send the next one when one is answered.`
      const limit = new ConcurrencyLimit({ running, runningInAll, waiting, waitMs, message })
      return [name, { limit, statementMs }]
    })
    this.#limits = Object.fromEntries(limits) as Record<CostClass, EnforcedLimits>
  }

  /**
   * Runs the work of a request once its group and the process are below the limits of the class.
   *
   * @param group such as the id of a company; the requests of one group count together
   * @throws whatever the work throws. ApiError RATE_LIMITED or SERVICE_UNAVAILABLE with Retry-After when the work may
   *   not run. SERVICE_UNAVAILABLE when a SELECT of the work took longer than the class allows
   */
  async run<T>(cost: CostClass, group: string, work: (rest: Rest) => Promise<T>): Promise<T> {
    try {
      const { limit, statementMs } = this.#limits[cost]
      // Without `statementMs` the statements need no rewriting. This saves time for publishes, because they are many.
      return await limit.run(group, (rest) =>
        statementMs === undefined ? work(rest) : withStatementLimit(statementMs, () => work(rest)),
      )
    } catch (error) {
      throw isStatementTimeout(error) ? retryLater('SERVICE_UNAVAILABLE', TOO_SLOW, 5_000, error) : error
    }
  }
}

/** Not a 400: the same request may pass on a database that is less busy. */
const TOO_SLOW = 'The request took too long: ask for an earlier page or a smaller limit, or try again later.'
