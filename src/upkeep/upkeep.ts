import { retryStopped } from '../db/connection/stopped.ts'
import { takeLease } from '../db/workers.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { startTicker } from '../deps/ticker.ts'
import { LineInterval } from '../domain/line-interval.ts'

/*
 * Upkeep is the periodic work of a worker. jobs.ts lists all jobs. Each job fulfils one contract (Job). One runner
 * (Upkeep) starts, paces and stops the jobs, and logs their faults. The heartbeat, which also measures the outbox, and
 * the reading of the database's clock have timers of their own, because they belong to the life of the process
 * (src/process, src/deps).
 *
 * - Pace. Jobs are listed in series. At each interval a series has a round, which calls `look` of its jobs one after
 *   the other. An interval that ends during a round is skipped, so rounds of one series never overlap. Different series
 *   do not wait for each other, so a job that may hang has its own series.
 * - Leader. Every worker first runs the jobs in `ofEach`. Then only the worker that has the lease of the series, the
 *   leader, runs the jobs in `ofLeader`. The leader renews the lease in each round, and loses it if it misses a round.
 *   All other workers call `rest` of these jobs. A stalled leader may continue while a new leader works. So a job must
 *   be correct with two leaders: it relies on locks and unique keys. The sender of notices is in `ofEach`, but takes
 *   its own lease (notice-sender.ts).
 * - Failure. If a look fails, the log gets a line, and the next job has its look as usual. There is at most one line in
 *   30 s for each series. The failed job has its next look in the next round, without a back-off. If the database
 *   server stopped a statement of a look, the look begins again after a moment (db/connection/stopped.ts). So a look
 *   must do no harm when it runs twice.
 * - Stop. A stop waits for the looks under way. `stop` of a job shortens its look. After the last look the job is
 *   closed. The worker does not give the lease back, so the next leader takes the lease when it expires. A series with
 *   `isLast` continues while the last attempts end.
 */

/** One periodic job of a worker. */
export type Job = {
  /** Does a bounded part of the work that is due now. The next look continues. */
  look(): Promise<void>
  /** Called when another worker leads. Forget the leader's state, and clear its gauges, which would keep old values. */
  rest?(): void
  /**
   * Called when the worker stops. The look under way must end at its next step, and later looks must do as little as possible.
   */
  stop?(): void
  /** Called once, after the last look. */
  close?(): Promise<void>
}

/** Jobs that share a clock and a leader. */
export type Series = {
  /** Names the lease, and the series in the log. */
  readonly name: string
  readonly intervalMs: number
  /** Every worker runs these jobs. */
  readonly ofEach: readonly Job[]
  /** Only the leader runs these jobs, for all workers. */
  readonly ofLeader?: readonly Job[]
  /** Whether the series continues while the last attempts of a stopping worker end. */
  readonly isLast?: boolean
}

type Parts = {
  readonly owner: string
  readonly series: readonly Series[]
}

/** How many intervals a lease lasts without renewal. */
const LEASE_INTERVALS = 1.5

/** Shortest time between two lines about failed looks of a series. */
const LINE_EVERY_MS = 30_000

type RoundDeps = Pick<SystemDeps, 'db'> & { readonly log: { warn(bindings: object, message: string): void } }

/** Runs the jobs of this worker. */
export class Upkeep {
  readonly #deps: Pick<SystemDeps, 'db' | 'log'>
  readonly #parts: Parts
  readonly #tickers = new Map<Series, () => Promise<void>>()

  constructor(deps: Pick<SystemDeps, 'db' | 'log'>, parts: Parts) {
    this.#deps = deps
    this.#parts = parts
  }

  /** Starts all series. The first round of a series comes after one interval. */
  start(): void {
    const { owner, series } = this.#parts
    for (const one of series) {
      const deps = { db: this.#deps.db, log: this.#limitedLog() }
      const stopTicker = startTicker(one.intervalMs, () => runRound(deps, owner, one))
      this.#tickers.set(one, stopTicker)
    }
  }

  #limitedLog(): RoundDeps['log'] {
    const lines = new LineInterval(LINE_EVERY_MS)
    return {
      warn: (bindings: object, message: string) => {
        const leftOut = lines.admit(performance.now())
        if (leftOut !== undefined) this.#deps.log.warn({ ...bindings, left_out: leftOut }, message)
      },
    }
  }

  /** Stops all series that are not `isLast`. Resolves when their looks under way are over and their jobs are closed. */
  async stop(): Promise<void> {
    await this.#end((series) => series.isLast !== true)
  }

  /** Stops the last series too. */
  async stopLast(): Promise<void> {
    await this.#end((series) => series.isLast === true)
  }

  async #end(isMeant: (series: Series) => boolean): Promise<void> {
    const meant = this.#parts.series.filter(isMeant)
    for (const job of meant.flatMap(jobsOf)) job.stop?.()
    await Promise.all(
      meant.map(async (series) => {
        await this.#tickers.get(series)?.()
        for (const job of jobsOf(series)) await job.close?.()
      }),
    )
  }
}

/** Runs one round of a series. Never throws, but logs errors. */
export async function runRound(
  { db, log }: RoundDeps,
  owner: string,
  { name, intervalMs, ofEach, ofLeader = [] }: Series,
): Promise<void> {
  try {
    for (const job of ofEach) await lookAt(job)
    if (ofLeader.length === 0) return
    if (await takeLease(db, name, owner, Math.ceil((intervalMs * LEASE_INTERVALS) / 1000))) {
      for (const job of ofLeader) await lookAt(job)
    } else {
      for (const job of ofLeader) job.rest?.()
    }
  } catch (error) {
    log.warn({ err: error }, `a round of the ${name} failed`)
  }

  async function lookAt(job: Job): Promise<void> {
    await retryStopped(() => job.look()).catch((error: unknown) => {
      log.warn({ err: error }, `a part of a round of the ${name} failed`)
    })
  }
}

const jobsOf = ({ ofEach, ofLeader = [] }: Series): readonly Job[] => [...ofEach, ...ofLeader]
