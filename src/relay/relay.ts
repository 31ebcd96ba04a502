import type { Claim } from '../db/outbox/claims.ts'
import type { Queue } from '../db/outbox/queues.ts'
import type { SystemDeps } from '../deps/deps.ts'
import type { Attempts } from '../attempts/attempt-delivery.ts'
import type { EndpointLimits } from '../attempts/endpoint-limits.ts'
import { CandidateFinder } from './candidates.ts'
import { ClaimLoop, type RoundResult } from './claim-loop.ts'
import { claimRows } from './claim.ts'
import { CommandRunner, type RunnerParts } from './command-runner.ts'
import { DirectAttempts } from './direct/attempts.ts'
import { Probes } from './probes.ts'
import { restMs, WorkUnderWay } from './work-under-way.ts'

/*
 * The relay carries out the commands in the outbox. A transaction that makes a change also writes the commands that
 * must follow, so no crash can separate change and commands. There is one row per kind (db/outbox/outbox.ts) and
 * target.
 *
 * A row goes through these states:
 *
 * - waiting: the row has no owner, and may be claimed from `available_at` on. Any process may queue it again, which
 *   raises its version and makes it due at once.
 * - claimed: the row has an owner, and no other worker claims it until the lease ends. A round of the claim loop finds
 *   the queues that have something due (candidates.ts), divides the free room among companies and webhooks
 *   (fairness.ts), claims rows, and reserves their slots (claim.ts). First attempts to a failing endpoint need its
 *   probe (probes.ts).
 * - settled: the handler of the row returns a verdict, and settleRow (context.ts) alone writes it. The row is deleted,
 *   waits again, or is left to the transaction that records, parks or closes its delivery. A command that was queued
 *   again in the meantime has another version, and waits again whatever the verdict is.
 *
 * A ring of the doorbell begins a round at once. Without a ring, the loop polls. While Temporal is slow or away, rows
 * wait in the outbox (command-runner.ts), and direct attempts go on. While outcomes cannot be recorded, the relay
 * claims no rows.
 *
 * If a worker crashes, every row survives. When the lease ends, another worker claims the row and carries it out again.
 * So each command must be safe to repeat. A workflow has the id of its delivery, recovery or key, so a second start
 * finds the first run. A woken run first reads its row. direct/attempts.ts explains the states of a direct attempt.
 *
 * A stopping worker claims no more rows and lets its calls end. Other workers claim its remaining rows when their
 * leases end.
 */

type Options = Omit<RunnerParts, 'probes'> & {
  readonly leaseMs: number
  readonly limits: EndpointLimits
  readonly attempts: Pick<Attempts, 'makeDirect'>
  /** Whether first attempts are direct; otherwise workflows make them. */
  readonly isDirect: boolean
  /** Whether claiming should pause, because outcomes cannot be recorded. */
  readonly isPaused: () => boolean
}

/** Claims rows while there is room, round by round, and begins their work. */
export class Relay {
  readonly #deps: SystemDeps
  readonly #options: Options
  readonly #commands: CommandRunner
  readonly #direct: DirectAttempts
  readonly #probes: Probes
  readonly #finder = new CandidateFinder()
  readonly #underWay = new Set<Promise<void>>()
  readonly #work = new WorkUnderWay()
  readonly #loop: ClaimLoop
  /** Whether the latest claim left rows only for lack of room or slots. */
  #isMore = false

  constructor(deps: SystemDeps, options: Options) {
    this.#deps = deps
    this.#options = options
    this.#loop = new ClaimLoop({
      round: () => this.#round(),
      onFailure: (error) => deps.log.warn({ err: error }, 'the outbox cannot be read; trying again'),
    })
    const { owner, limits, attempts, leaseMs } = options
    this.#probes = new Probes(deps, { limits, owner, leaseMs })
    this.#commands = new CommandRunner(deps, { ...options, probes: this.#probes })
    this.#direct = new DirectAttempts(deps, {
      attempts,
      owner,
      leaseMs,
      onHandover: () => this.ring(),
      onUnsent: (row) => this.#probes.giveBack(row),
    })
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

  /** Claims at once; the doorbell calls it. @param queues the queues that have new rows. If absent, the relay searches */
  ring(queues?: readonly Queue[]): void {
    this.#finder.hint(queues)
    this.#loop.ring()
  }

  /** Stops claiming and waits for the calls under way. */
  async stop(): Promise<void> {
    this.#commands.stop()
    await this.#loop.stop()
    await Promise.allSettled(this.#underWay)
  }

  /** Gives back the rows of direct attempts that the end of the process aborts. */
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
    const room = this.#work.room((free) => this.#commands.room(free), isDirect)
    if (isPaused() || (room.calls <= 0 && room.direct === undefined)) return []
    const [probes, finder] = [this.#probes, this.#finder]
    const options = { owner, leaseMs, isDirect, slots, limits, probes, finder }
    const { claims, isMore } = await claimRows(this.#deps, room, options)
    this.#isMore = isMore
    return claims
  }

  #begin(claim: Claim, claimedAtMs: number): void {
    const beganMs = performance.now()
    const end = this.#work.begin(claim)
    const free = () => {
      if (end({ isMore: this.#isMore })) this.#loop.ring()
    }
    const begun = claim.isDirect ? this.#direct.make(claim, claimedAtMs) : this.#commands.run(claim)
    const work = begun.finally(() => {
      this.#underWay.delete(work)
      const pauseMs = restMs(claim, performance.now() - beganMs)
      if (pauseMs === 0) free()
      else setTimeout(free, pauseMs).unref()
    })
    this.#underWay.add(work)
  }
}
