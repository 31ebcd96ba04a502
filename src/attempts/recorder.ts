import { setTimeout as delay } from 'node:timers/promises'
import { isLockTimeout, isLost, isRetryable } from '../db/connection/errors.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { isOpen } from '../domain/delivery/delivery.ts'
import { Drain } from '../domain/buffers.ts'
import { LineInterval } from '../domain/line-interval.ts'
import type { MadeAttempt } from '../domain/delivery/outcome.ts'
import type { Decision } from '../domain/delivery/transitions.ts'
import type { AttemptLog } from './attempt-log.ts'
import type { AttemptStats, RecoveryWakes } from './recorded-attempts.ts'
import type { EndpointLimits } from './endpoint-limits.ts'
import type { PostponedSigns } from './endpoint-signs.ts'
import { recordBatch, type Recording } from './record-batch.ts'

/** The recorder calls these after the commit of each batch. */
type Listeners = {
  readonly attemptLog: Pick<AttemptLog, 'recorded' | 'endpointChanged'>
  readonly limits: Pick<EndpointLimits, 'learn'>
  readonly stats: Pick<AttemptStats, 'add'>
  readonly recoveries: Pick<RecoveryWakes, 'recorded'>
}

type Waiting = {
  readonly made: MadeAttempt
  readonly untilMs: number
  /** Absent when no caller waits any more. */
  readonly caller?: PromiseWithResolvers<Decision>
}

/** At most this many outcomes share a commit. */
const BATCH_SIZE = 200
/**
 * The shortest time between the beginnings of two batches. At 200 outcomes a second, two or three outcomes share a
 * commit. A single outcome does not wait. Measured: docs/benchmarks.md.
 */
const GATHER_MS = 10
const RETRY_PAUSE_MS = 250
/** How often the log says that outcomes cannot be written. */
const LINE_EVERY_MS = 10_000
/** How long an outcome waits when another transaction locks its row and the batch has skipped that row. */
const LOCKED_PAUSE_MS = 50
/**
 * How long an outcome waits after its own write waited for a lock in vain. The pause is longer because that wait
 * delayed all other outcomes.
 */
const WAITED_PAUSE_MS = 1_000
/**
 * With this many kept outcomes, this worker stops sending. A few kept outcomes may belong to rows that cannot be
 * written, and must not stop all other deliveries. Many kept outcomes mean that the database accepts heartbeats but no
 * outcomes, so no attempt could be recorded.
 */
const KEPT_LIMIT = 50

/**
 * Records the outcomes of attempts in batches: while one batch commits, the next batch collects outcomes.
 * record-batch.ts explains the states of an outcome.
 */
export class Recorder {
  readonly #deps: Pick<SystemDeps, 'batchDb' | 'log' | 'clock' | 'metrics'>
  readonly #listeners: Listeners
  /** The outcomes that are not committed yet, by delivery. */
  readonly #unwritten = new Map<string, MadeAttempt>()
  /** The deliveries in `#unwritten` whose outcome no caller waits for any more. */
  readonly #kept = new Set<string>()
  readonly #lines = new LineInterval(LINE_EVERY_MS)
  readonly #drain = new Drain(
    () => this.#waiting.length > 0 || this.#isPostponedDue,
    async () => {
      await this.#gather()
      await this.#writeBatch(this.#takeBatch())
    },
  )
  #waiting: Waiting[] = []
  #postponed: PostponedSigns = new Map()
  /** Whether the next batch must write the postponed signs, even if no outcome waits. */
  #isPostponedDue = false
  #failures = 0
  #begunAtMs = -Infinity

  constructor(deps: Pick<SystemDeps, 'batchDb' | 'log' | 'clock' | 'metrics'>, listeners: Listeners) {
    this.#deps = deps
    this.#listeners = listeners
  }

  /**
   * Resolves once the outcome is committed. A write that fails is repeated until `untilMs` (epoch milliseconds). After
   * that time the recorder keeps the outcome, and tries again at the next `heal`.
   *
   * @throws when the time is over: the database's latest error, or an Error when another transaction locks the row
   */
  record(made: MadeAttempt, untilMs: number): Promise<Decision> {
    const caller = Promise.withResolvers<Decision>()
    this.#unwritten.set(made.deliveryId, made)
    this.#waiting.push({ made, untilMs, caller })
    void this.#drain.run()
    return caller.promise
  }

  /** The delivery's outcome that is not written yet. The next attempt records it, and does not send again. */
  unrecorded(deliveryId: string): MadeAttempt | undefined {
    return this.#unwritten.get(deliveryId)
  }

  /** Whether the recorder cannot write outcomes at the moment, or keeps too many. Do not send a new request then. */
  isStuck(): boolean {
    return this.#failures > 0 || this.#kept.size >= KEPT_LIMIT
  }

  /**
   * The heartbeat calls this method when the database accepted a write. If no caller waits, sending may begin again,
   * and the recorder writes the kept outcomes and the postponed signs of endpoints.
   */
  heal(): void {
    if (this.#waiting.length > 0 || this.#drain.isBusy) return
    this.#failures = 0
    const kept = [...this.#kept].flatMap((id) => this.#unwritten.get(id) ?? [])
    this.#waiting = kept.map((made) => ({ made, untilMs: 0 }))
    this.#isPostponedDue = this.#postponed.size > 0
    void this.#drain.run()
  }

  async #gather(): Promise<void> {
    const restMs = this.#begunAtMs + GATHER_MS - performance.now()
    if (restMs > 0) await delay(restMs)
    this.#begunAtMs = performance.now()
  }

  /** A batch has one outcome per delivery: a second outcome must be decided from the row that the first outcome left. */
  #takeBatch(): Waiting[] {
    const batch: Waiting[] = []
    const rest: Waiting[] = []
    const ids = new Set<string>()
    for (const entry of this.#waiting) {
      const { deliveryId } = entry.made
      const fits = batch.length < BATCH_SIZE && !ids.has(deliveryId)
      ids.add(deliveryId)
      ;(fits ? batch : rest).push(entry)
    }
    this.#waiting = rest
    this.#isPostponedDue = false
    return batch
  }

  /**
   * If the batch fails, writes each outcome by itself, so that one bad outcome does not stop the other outcomes. If the
   * batch waited in vain for a lock, the recorder first tries the whole batch once more, because the second try adds to
   * other rows of the counters.
   */
  async #writeBatch(batch: readonly Waiting[], isAgain = false): Promise<void> {
    try {
      await this.#write(batch)
    } catch (error) {
      if (batch.length <= 1 || isLost(error)) await this.#keep(batch, error)
      else if (isLockTimeout(error) && !isAgain) await this.#writeBatch(batch, true)
      else for (const entry of batch) await this.#writeBatch([entry])
    }
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const made = batch.map((entry) => entry.made)
    const recording = await recordBatch(this.#deps.batchDb, made, this.#postponed)
    const { decisions, lockedElsewhere, health, now } = recording
    this.#postponed = recording.postponed
    this.#failures = 0
    this.#lines.reset()
    this.#listeners.limits.learn(new Map([...health].map(([id, { after }]) => [id, after])), now)
    for (const entry of batch) {
      const { deliveryId } = entry.made
      if (lockedElsewhere.has(deliveryId)) {
        this.#setAside(entry)
        continue
      }
      this.#unwritten.delete(deliveryId)
      this.#kept.delete(deliveryId)
      entry.caller?.resolve(decisions.get(deliveryId) ?? { kind: 'stale' })
    }
    this.#tell(recording)
  }

  /** Counts and logs the recorded attempts, after the callers have their decisions. */
  #tell(recording: Recording): void {
    const { attemptLog, stats, recoveries } = this.#listeners
    const { attempts, health, now } = recording
    recoveries.recorded(recording)
    for (const attempt of attempts) {
      const { status, closedReason: reason } = attempt.decision.delivery
      if (!isOpen({ status })) this.#deps.metrics.countClosed({ companyId: attempt.companyId, reason })
      attemptLog.recorded(attempt)
      stats.add(attempt, now)
    }
    for (const [webhookId, change] of health) attemptLog.endpointChanged(webhookId, change, now)
  }

  /** Tries an outcome again later because another transaction locks its row. The other outcomes do not wait for it. */
  #setAside(entry: Waiting): void {
    if (!entry.caller) return
    if (entry.untilMs <= this.#deps.clock().getTime()) {
      this.#giveUp(entry, new Error('another transaction has locked the row of the delivery or its webhook'))
      return
    }
    this.#comeBack(entry, LOCKED_PAUSE_MS)
  }

  #comeBack(entry: Waiting, afterMs: number): void {
    setTimeout(() => {
      this.#waiting.push(entry)
      void this.#drain.run()
    }, afterMs)
  }

  /** Fails the callers whose time is over, and keeps their outcomes. Tries the other outcomes again after a pause. */
  async #keep(batch: readonly Waiting[], error: unknown): Promise<void> {
    const { clock, log } = this.#deps
    const called = batch.filter(({ caller }) => caller)
    // A deadlock or a lock time-out comes from another transaction, and is no sign that the database is lost.
    if (called.length > 0 && !isRetryable(error)) this.#failures += 1
    const nowMs = clock().getTime()
    const leftOut = this.#lines.admit(nowMs)
    if (leftOut !== undefined) {
      const outcomes = batch.length + this.#waiting.length
      log.warn({ err: error, outcomes, left_out: leftOut }, 'outcomes could not be recorded; trying again')
    }
    for (const entry of called) {
      if (entry.untilMs <= nowMs) this.#giveUp(entry, error)
      else if (isLockTimeout(error)) this.#comeBack(entry, WAITED_PAUSE_MS)
      else this.#waiting.push(entry)
    }
    if (!isRetryable(error)) await delay(RETRY_PAUSE_MS)
  }

  /** Fails the caller and keeps the outcome, even if another call has recorded an outcome of the delivery in the meantime. */
  #giveUp({ made, caller }: Waiting, error: unknown): void {
    if (!this.#unwritten.has(made.deliveryId)) this.#unwritten.set(made.deliveryId, made)
    this.#kept.add(made.deliveryId)
    caller?.reject(error)
  }
}
