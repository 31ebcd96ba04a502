import type { Claim, ClaimedRow } from '../db/system/claims.js'
import { releaseRow } from '../db/system/outbox-rows.js'
import { PAGE_QUEUE } from '../db/outbox.js'
import { isSlow } from '../domain/temporal-errors.js'
import type { Deps } from '../process/deps.js'
import type { SearchAttribute } from '../workflows/contract.js'
import { createBackOff, HeldBackError, type BackOff } from './back-off.js'
import { CandidateFinder } from './candidates.js'
import { ClaimLoop } from './claim-loop.js'
import { claimRows, type RelaySlots } from './claim.js'
import { carryOut } from './commands.js'
import type { CommandContext } from './context.js'

type Options = {
  readonly owner: string
  readonly leaseMs: number
  readonly slots: RelaySlots
  /** Whether claiming should pause: outcomes cannot be recorded. */
  readonly isPaused: () => boolean
  /** The search attributes that Temporal knows. */
  readonly searchAttributes: () => readonly SearchAttribute[]
}

/**
 * Rows claimed at once and calls under way at once. Temporal writes the starts of a shard one after the other. So with more
 * calls each only waits longer, reservations lapse before the attempts come to their gates, and Temporal loses tasks
 * (docs/decisions.md, Calls under way).
 */
const BATCH = 16
/** Commands that page through a whole webhook: pages at once, and the shortest time between two pages. */
const PAGES_AT_ONCE = 1
const PAGE_INTERVAL_MS = 500
const RPC_DEADLINE_MS = 5_000
const FIRST_BACKOFF_MS = 200
const LONGEST_BACKOFF_MS = 30_000

/**
 * Outbox -> Temporal. Each round claims as many rows as there is room for calls, and begins their calls. A row whose
 * command fails is released and claimed again later; none is dropped. While Temporal is slow, all calls share one
 * back-off and rows wait in the outbox.
 */
export class Relay {
  readonly #deps: Deps
  readonly #options: Options
  readonly #backOff: BackOff
  readonly #context: CommandContext
  readonly #finder = new CandidateFinder()
  readonly #underWay = new Set<Promise<void>>()
  readonly #loop: ClaimLoop
  #pagesUnderWay = 0
  #nextPageMs = 0
  #isStopped = false

  constructor(deps: Deps, options: Options) {
    this.#deps = deps
    this.#options = options
    this.#backOff = createBackOff({
      nowMs: () => performance.now(),
      random: Math.random,
      onChange: (isSlowNow, error) => this.#tellSlowness(isSlowNow, error),
    })
    this.#loop = new ClaimLoop({
      round: () => this.#round(),
      onFailure: (error) => deps.log.warn({ err: error }, 'the outbox cannot be read; trying again'),
    })
    const { owner, slots, searchAttributes } = options
    this.#context = {
      ...{ deps, owner, slots, searchAttributes },
      callTemporal: (call) =>
        this.#backOff.call(() => deps.temporal.withDeadline(Date.now() + RPC_DEADLINE_MS, call)),
      isStopping: () => this.#isStopped,
    }
  }

  /** Begins to claim. */
  start(): void {
    this.#loop.start()
  }

  /** Claims at once; the doorbell calls it. */
  ring(): void {
    this.#loop.ring()
  }

  /** Stops claiming and waits for the calls under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#loop.stop()
    await Promise.allSettled(this.#underWay)
  }

  async #round(): Promise<boolean> {
    const claims = await this.#claim()
    for (const claim of claims) this.#begin(claim)
    return claims.length > 0
  }

  async #claim(): Promise<Claim[]> {
    const { owner, leaseMs, slots, isPaused } = this.#options
    const calls = this.#backOff.room(BATCH - this.#callsUnderWay())
    if (calls <= 0 || isPaused()) return []
    const pages = Date.now() < this.#nextPageMs ? 0 : PAGES_AT_ONCE - this.#pagesUnderWay
    return claimRows(this.#deps, { calls, pages }, { owner, leaseMs, slots, finder: this.#finder })
  }

  #callsUnderWay(): number {
    return this.#underWay.size - this.#pagesUnderWay
  }

  #begin(claim: Claim): void {
    const isPage = claim.row.queue === PAGE_QUEUE
    if (isPage) {
      this.#pagesUnderWay += 1
      this.#nextPageMs = Date.now() + PAGE_INTERVAL_MS
    }
    const work = this.#carryOut(claim).finally(() => {
      this.#underWay.delete(work)
      if (isPage) this.#pagesUnderWay -= 1
      else if (this.#callsUnderWay() === BATCH - 1) this.#loop.wake()
    })
    this.#underWay.add(work)
  }

  async #carryOut({ row, delivery }: Claim): Promise<void> {
    const { metrics } = this.#deps
    try {
      await carryOut(this.#context, row, delivery)
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
    const isShared = error instanceof HeldBackError || isSlow(error)
    log[isShared ? 'debug' : 'warn'](
      { err: error, kind: row.kind, subject_id: row.targetId, tries: row.tries },
      'a command is put back',
    )
    const growth = isShared ? 1 : 2 ** Math.min(row.tries, 10)
    const backoffMs = Math.min(FIRST_BACKOFF_MS * growth, LONGEST_BACKOFF_MS)
    await releaseRow(db, row, this.#options.owner, backoffMs).catch((reason: unknown) => {
      log.warn({ err: reason, subject_id: row.targetId }, 'the command comes back when its lease ends')
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
