import { retryStopped } from '../db/connection/stopped.ts'
import { takeLease } from '../db/workers.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { startTicker } from '../deps/ticker.ts'
import { LineInterval } from '../domain/line-interval.ts'

/*
 * Upkeep: what a worker does by the clock. jobs.ts lists all of it. Each job fulfils one contract (Job). One runner
 * (Upkeep) starts, paces and stops them, and logs their faults. Only the life of the process has timers of its own: the
 * heartbeat, which also measures the outbox, and the look at the database's clock (src/process).
 *
 * - Pace. Jobs are listed in series. At each interval a series has a round: it looks at its jobs one after the other.
 *   An interval that ends during a round is left out, so rounds of one series never overlap. Different series do not
 *   wait for each other: a job that may hang has a series of its own.
 * - Who leads. Jobs of each worker come first. Then the worker that has the lease of the series looks at the rest; it
 *   renews the lease with each round, and loses it when it misses one. All other workers let these jobs rest. A leader that
 *   stalls may go on beside a new leader, so a job must be right with two leaders too: it relies on locks and
 *   unique keys. The sender of notices is a job of each worker, and takes a lease of its own (notice-sender.ts).
 * - When a look fails. The log gets a line, one in half a minute for a series, and the next job has its look as always. What
 *   failed is due again in the next round, without a back-off. A look whose statement the server stopped begins again after a
 *   moment (db/connection/stopped.ts), so a look must do no harm when it runs twice.
 * - What a stop waits for. The looks under way; `stop` of a job shortens its own look. Then the job is closed. The lease is
 *   not given back: the next leader takes it when it expires. A series with `isLast` goes on while attempts end.
 */

/** One thing that a worker does by the clock. */
export type Job = {
  /** Does what is due now, a bounded part of it: the next look continues. */
  look(): Promise<void>
  /** Another worker leads. Forget what only a leader knows, and clear its gauges, or they keep their last values. */
  rest?(): void
  /** The worker stops: the look under way ends at its next step, and later ones do as little as they can. */
  stop?(): void
  /** Called once, after the last look. */
  close?(): Promise<void>
}

/** Jobs that share a clock and a leader. */
export type Series = {
  /** Names the lease, and the series in the log. */
  readonly name: string
  readonly intervalMs: number
  /** Every worker does these. */
  readonly ofEach: readonly Job[]
  /** One worker does these for all. */
  readonly ofLeader?: readonly Job[]
  /** Whether it goes on while the last attempts of a stopping worker end. */
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

  /** The first rounds come after an interval. */
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

  /** Resolves when the looks under way are over and their jobs are closed, except those of the last series. */
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

/** One round of a series. Never throws: what went wrong is in the log. */
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
