import type { Claim, ClaimedRow } from '../db/outbox/claims.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { traced } from '../deps/traces.ts'
import { doublingPause } from '../domain/doubling.ts'
import { isSlow, lacksSearchAttribute } from '../process/temporal/errors.ts'
import { BackOff, TemporalSlowError } from './back-off.ts'
import { freeSlotOf } from './claim.ts'
import { carryOut } from './commands.ts'
import { type RelayContext, again, settleRow, type Verdict } from './context.ts'
import type { Probes } from './probes.ts'
import { Walks } from './webhook-commands.ts'

/** The parts of the worker that the runner needs. */
export type RunnerParts = Pick<RelayContext, 'slots' | 'pace' | 'local' | 'searchAttributes'> & {
  readonly owner: string
  readonly probes: Pick<Probes, 'giveBack'>
  /**
   * Called when a command failed, unless Temporal is only slow or away. Temporal may have lost our namespace or search
   * attributes.
   */
  readonly onRefused: () => void
}

const RPC_DEADLINE_MS = 5_000
const BACKOFF_MS = { first: 200, longest: 30_000 }

/**
 * Carries out the claimed rows that are not direct attempts, and puts back the rows that fail. Their calls share one back-off.
 */
export class CommandRunner {
  readonly #deps: SystemDeps
  readonly #parts: RunnerParts
  readonly #backOff: BackOff
  readonly #context: RelayContext
  #isStopping = false

  constructor(deps: SystemDeps, parts: RunnerParts) {
    this.#deps = deps
    this.#parts = parts
    this.#backOff = new BackOff({
      nowMs: () => performance.now(),
      random: Math.random,
      onChange: (isSlowNow, error) => this.#tellSlowness(isSlowNow, error),
    })
    this.#context = {
      ...parts,
      deps,
      walks: new Walks(),
      companyWalks: new Walks(),
      callTemporal: (call) =>
        this.#backOff.call(() => deps.temporal.withDeadline(Date.now() + RPC_DEADLINE_MS, call)),
      isStopping: () => this.#isStopping,
    }
  }

  /** Returns how many of `free` rows may be claimed now: all rows, or at most one while Temporal is slow. */
  room(free: number): number {
    return this.#backOff.room(free)
  }

  /** Carries out a claimed row and settles it. Never rejects: a row whose command fails comes back. */
  async run(claim: Claim): Promise<void> {
    const { db, metrics } = this.#deps
    const { row } = claim
    try {
      const verdict = await this.#traced(claim)
      await settleRow(db, row, this.#parts.owner, verdict)
      metrics.relayCommands.inc({ kind: row.kind, result: 'done' })
    } catch (error) {
      metrics.relayCommands.inc({ kind: row.kind, result: 'released' })
      await this.#putBack(row, error)
    }
  }

  /** Carries out a command. A command about a delivery is a span of the event's trace. */
  #traced(claim: Claim): Promise<Verdict> {
    const { row, delivery } = claim
    const parent = delivery?.traceparent
    const facts = { 'sales_data.delivery_id': row.targetId }
    const traces = parent ? this.#deps.traces : undefined
    const work = () => carryOut(this.#context, claim)
    return traced(traces, `relay ${row.kind}`, { kind: 'internal', parent, facts }, { work })
  }

  /** Makes long commands end at their next step. */
  stop(): void {
    this.#isStopping = true
  }

  /**
   * Releases the row of a command that failed. It may be claimed again after a pause that grows with its tries. A failure
   * because the namespace lacks a search attribute counts as no try: no call could have succeeded.
   */
  async #putBack(row: ClaimedRow, error: unknown): Promise<void> {
    const { db, log } = this.#deps
    // While Temporal is slow, the shared back-off logs and pauses for all rows. So a row logs only at debug level, and
    // takes only the shortest pause.
    const isShared = error instanceof TemporalSlowError || isSlow(error)
    log[isShared ? 'debug' : 'warn'](
      { err: error, kind: row.kind, target_id: row.targetId, tries: row.tries },
      'a command is put back',
    )
    const isUnready = lacksSearchAttribute(error)
    if (!isShared || isUnready) this.#parts.onRefused()
    await this.#parts.probes.giveBack(row)
    freeSlotOf(row, this.#parts.slots)
    const pauseMs = doublingPause(BACKOFF_MS, isShared ? 0 : row.tries)
    const verdict: Verdict = isUnready ? again(pauseMs) : { kind: 'failed', pauseMs }
    await settleRow(db, row, this.#parts.owner, verdict).catch((reason: unknown) => {
      log.warn({ err: reason, target_id: row.targetId }, 'the command comes back when its lease ends')
    })
  }

  #tellSlowness(isSlowNow: boolean, error: unknown): void {
    const { log, metrics } = this.#deps
    metrics.temporalSlow.set(isSlowNow ? 1 : 0)
    if (isSlowNow)
      log.warn({ err: error }, 'Temporal is slow or away: one call at a time, with growing pauses')
    else log.info('Temporal answers again: all calls go on')
  }
}
