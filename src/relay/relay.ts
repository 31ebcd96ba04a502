import type { Claim, ClaimedRow } from '../db/outbox/claims.ts'
import type { Queue } from '../db/outbox/queues.ts'
import { doublingPause } from '../domain/doubling.ts'
import { isSlow } from '../process/temporal/errors.ts'
import type { SystemDeps } from '../deps/deps.ts'
import type { SearchAttribute } from '../workflows/contract.ts'
import type { Attempts } from '../attempts/attempt-delivery.ts'
import { BackOff, TemporalSlowError } from './back-off.ts'
import { CandidateFinder } from './candidates.ts'
import { ClaimLoop, type RoundResult } from './claim-loop.ts'
import { claimRows, type RelaySlots } from './claim.ts'
import { carryOut } from './commands.ts'
import type { RelayContext } from './context.ts'
import { DirectAttempts } from './direct/attempts.ts'
import { Probes, type RelayLimits } from './probes.ts'
import { settleRow } from './settle.ts'
import { Walks } from './walks.ts'
import { WorkUnderWay } from './work-under-way.ts'

type Options = {
  readonly owner: string
  readonly leaseMs: number
  readonly slots: RelaySlots
  readonly limits: RelayLimits
  readonly attempts: Pick<Attempts, 'makeDirect'>
  readonly pace: RelayContext['pace']
  readonly local: RelayContext['local']
  /** Whether first attempts are direct; otherwise workflows make them. */
  readonly isDirect: boolean
  /** Whether claiming should pause: outcomes cannot be recorded. */
  readonly isPaused: () => boolean
  /** The search attributes that Temporal knows. */
  readonly searchAttributes: () => readonly SearchAttribute[]
}

const RPC_DEADLINE_MS = 5_000
const BACKOFF_MS = { first: 200, longest: 30_000 }

/**
 * Outbox -> Temporal, or -> direct attempts. Each round claims as many rows as there is room for, and begins their work.
 * A row whose command fails is released and claimed again later; none is dropped. While Temporal is slow, all calls share
 * one back-off and rows wait in the outbox. Direct attempts go on meanwhile.
 */
export class Relay {
  readonly #deps: SystemDeps
  readonly #options: Options
  readonly #backOff: BackOff
  readonly #direct: DirectAttempts
  readonly #probes: Probes
  readonly #context: RelayContext
  readonly #finder = new CandidateFinder()
  readonly #underWay = new Set<Promise<void>>()
  readonly #work = new WorkUnderWay(() => performance.now())
  readonly #loop: ClaimLoop
  /** The latest claim left rows for which only room or slots were missing. */
  #isMore = false
  #isStopped = false

  constructor(deps: SystemDeps, options: Options) {
    this.#deps = deps
    this.#options = options
    this.#backOff = new BackOff({
      nowMs: () => performance.now(),
      random: Math.random,
      onChange: (isSlowNow, error) => this.#tellSlowness(isSlowNow, error),
    })
    this.#loop = new ClaimLoop({
      round: () => this.#round(),
      onFailure: (error) => deps.log.warn({ err: error }, 'the outbox cannot be read; trying again'),
    })
    const { owner, slots, limits, searchAttributes, attempts, leaseMs, pace, local } = options
    this.#probes = new Probes(deps, { limits, owner, leaseMs })
    this.#direct = new DirectAttempts(deps, {
      attempts,
      owner,
      leaseMs,
      onHandover: () => this.ring(),
      onUnsent: (row) => this.#probes.giveBack(row),
    })
    this.#context = {
      deps,
      slots,
      searchAttributes,
      pace,
      local,
      walks: new Walks(),
      companyWalks: new Walks(),
      callTemporal: (call) =>
        this.#backOff.call(() => deps.temporal.withDeadline(Date.now() + RPC_DEADLINE_MS, call)),
      isStopping: () => this.#isStopped,
    }
  }

  /** Begins to claim. */
  start(): void {
    const { config, log, metrics } = this.#deps
    const { isDirect } = this.#options
    metrics.directFirstAttempts.set(isDirect ? 1 : 0)
    const facts = { setting: config.deliveryFirstAttempt, direct: isDirect }
    log.info(facts, `first attempts are ${isDirect ? 'direct' : 'made by workflows'}`)
    this.#loop.start()
  }

  /**
   * Claims at once; the doorbell calls it.
   *
   * @param queues those that have something new; without them the relay searches
   */
  ring(queues?: readonly Queue[]): void {
    this.#finder.hint(queues)
    this.#loop.ring()
  }

  /** Stops claiming and waits for the calls under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#loop.stop()
    await Promise.allSettled(this.#underWay)
  }

  /** Gives back the direct attempts that the end of the process cuts. */
  async cut(): Promise<void> {
    await this.#direct.releaseAll()
  }

  async #round(): Promise<RoundResult> {
    const claimedAtMs = this.#deps.clock().getTime()
    const claims = await this.#claim()
    for (const claim of claims) this.#begin(claim, claimedAtMs)
    if (claims.length === 0) return 'empty'
    return this.#isMore ? 'more' : 'done'
  }

  async #claim(): Promise<readonly Claim[]> {
    const { owner, leaseMs, isDirect, slots, limits, isPaused } = this.#options
    const room = this.#work.room((free) => this.#backOff.room(free), isDirect)
    if (isPaused() || (room.calls <= 0 && room.direct === undefined)) return []
    const [probes, finder] = [this.#probes, this.#finder]
    const options = { owner, leaseMs, isDirect, slots, limits, probes, finder }
    const { claims, isMore } = await claimRows(this.#deps, room, options)
    this.#isMore = isMore
    return claims
  }

  #begin(claim: Claim, claimedAtMs: number): void {
    const end = this.#work.begin(claim)
    const begun = claim.isDirect ? this.#direct.make(claim, claimedAtMs) : this.#carryOut(claim)
    const work = begun.finally(() => {
      this.#underWay.delete(work)
      if (end({ isMore: this.#isMore })) this.#loop.ring()
    })
    this.#underWay.add(work)
  }

  async #carryOut({ row, delivery }: Claim): Promise<void> {
    const { db, metrics } = this.#deps
    try {
      await settleRow(db, row, this.#options.owner, await carryOut(this.#context, row, delivery))
      metrics.relayCommands.inc({ kind: row.kind, result: 'done' })
    } catch (error) {
      metrics.relayCommands.inc({ kind: row.kind, result: 'released' })
      await this.#putBack(row, error)
    }
  }

  /** Releases the row of a command that failed. It may be claimed again after a pause that grows with its tries. */
  async #putBack(row: ClaimedRow, error: unknown): Promise<void> {
    const { db, log } = this.#deps
    // The shared back-off writes its own line and makes its own pauses; rows must not add theirs.
    const isShared = error instanceof TemporalSlowError || isSlow(error)
    log[isShared ? 'debug' : 'warn'](
      { err: error, kind: row.kind, target_id: row.targetId, tries: row.tries },
      'a command is put back',
    )
    await this.#probes.giveBack(row)
    const pauseMs = doublingPause(BACKOFF_MS, isShared ? 0 : row.tries)
    await settleRow(db, row, this.#options.owner, { kind: 'failed', pauseMs }).catch((reason: unknown) => {
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
