import type { Claim } from '../db/outbox/claims.ts'
import type { ClaimedRow } from '../db/outbox/outbox.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { traced } from '../deps/traces.ts'
import { doublingPause } from '../domain/doubling.ts'
import { isSlow, lacksSearchAttribute } from '../process/temporal/errors.ts'
import { freeSlotOf } from './claim.ts'
import { carryOut } from './commands.ts'
import { type RelayContext, again, settleRow, type Verdict, Walks } from './context.ts'
import type { Probes } from './probes.ts'

/** The parts of the worker that the runner needs. */
export type RunnerParts = Pick<RelayContext, 'slots' | 'pace' | 'local' | 'searchAttributes'> & {
  readonly owner: string
  readonly probes: Pick<Probes, 'giveBack'>
  /**
   * Called when a command failed, unless Temporal is only slow or away. The cause may be that Temporal has lost our
   * namespace or search attributes.
   */
  readonly onRefused: () => void
}

const RPC_DEADLINE_MS = 5_000
const BACKOFF_MS = { first: 200, longest: 30_000 }

/**
 * Carries out the claimed rows that are not direct attempts, and puts back the rows that fail. All calls to Temporal
 * share one back-off.
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

  /** Carries out a claimed row and settles it. Never rejects: if the command fails, it puts the row back. */
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
   * Releases the row of a command that failed. It may be claimed again after a pause that grows with its tries. If the
   * namespace lacks a search attribute, the failure does not count as a try: no call could have succeeded.
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

/** A call that was not made, because Temporal is slow. */
export class TemporalSlowError extends Error {
  override readonly name = 'TemporalSlowError'
  constructor() {
    super('Temporal is slow: the call is not made')
  }
}

type Parts = {
  /** Milliseconds since any fixed moment. */
  readonly nowMs: () => number
  /** Uniform in [0, 1), for the jitter. */
  readonly random: () => number
  /** Called when the back-off begins, with the error that began it, and when the back-off ends. */
  readonly onChange: (isSlow: boolean, error?: unknown) => void
}

const PAUSE_MS = { first: 200, longest: 10_000 }
/** If Temporal is slow again within this time after it recovered, the pauses continue with the next longer one. */
const RELAPSE_MS = 10_000

/**
 * An exponential back-off that all calls of a relay to Temporal share. With a back-off for each row, a hundred rows
 * would send a hundred calls to an overloaded server. While Temporal answers every call, the back-off does nothing.
 * When Temporal is away or overloaded, the back-off lets one call through after each pause. This call is the probe. A
 * failed probe doubles the pause. The first answered probe ends the back-off.
 */
export class BackOff {
  readonly #parts: Parts
  /** 0 at full speed. Each call that shows that Temporal is slow adds 1, which doubles the pause. For exceptions see #epoch. */
  #level = 0
  #levelAtRecovery = 0
  #recoveredAtMs = Number.NEGATIVE_INFINITY
  #probeAtMs = 0
  #isProbing = false
  /** Rises with each change of the level. The result of a call that began before the latest change is ignored. */
  #epoch = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Returns how many of `free` rows may be claimed now: all rows, or at most one while Temporal is slow. */
  room(free: number): number {
    if (this.#level === 0) return free
    return this.#mayProbe() ? Math.min(free, 1) : 0
  }

  /**
   * Makes a call, and learns from its result whether Temporal is slow.
   *
   * @throws TemporalSlowError while Temporal is slow and no probe is due: no call is made. Otherwise the error of the
   *   call
   */
  async call<T>(rpc: () => Promise<T>): Promise<T> {
    const isProbe = this.#level > 0
    if (isProbe && !this.#mayProbe()) throw new TemporalSlowError()
    if (isProbe) this.#isProbing = true
    const epochAtStart = this.#epoch
    try {
      const result = await rpc()
      if (this.#epoch === epochAtStart) this.#recover()
      return result
    } catch (error) {
      if (this.#epoch === epochAtStart) {
        if (isSlow(error)) this.#slowDown(error)
        else this.#recover()
      }
      throw error
    } finally {
      if (isProbe) this.#isProbing = false
    }
  }

  #mayProbe(): boolean {
    return !this.#isProbing && this.#parts.nowMs() >= this.#probeAtMs
  }

  #slowDown(error: unknown): void {
    const { nowMs, random, onChange } = this.#parts
    const isNew = this.#level === 0
    const isRelapse = isNew && nowMs() - this.#recoveredAtMs < RELAPSE_MS
    this.#level = (isRelapse ? this.#levelAtRecovery : this.#level) + 1
    this.#epoch += 1
    this.#probeAtMs = nowMs() + doublingPause(PAUSE_MS, this.#level - 1) * (1 - random() / 2)
    if (isNew) onChange(true, error)
  }

  #recover(): void {
    if (this.#level === 0) return
    this.#levelAtRecovery = this.#level
    this.#level = 0
    this.#epoch += 1
    this.#recoveredAtMs = this.#parts.nowMs()
    this.#parts.onChange(false)
  }
}
