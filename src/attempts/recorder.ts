import { setTimeout as delay } from 'node:timers/promises'
import { isLost, isRetryable } from '../db/connection/errors.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { Drain } from '../domain/drain.ts'
import { LineInterval } from '../domain/line-interval.ts'
import type { MadeAttempt } from '../domain/delivery/outcome.ts'
import type { Decision } from '../domain/delivery/transitions.ts'
import type { PostponedSigns } from './endpoint-signs.ts'
import { recordBatch } from './record-batch.ts'
import { tellRecorded, type RecorderListeners } from './recorder-listeners.ts'
import { UnwrittenOutcomes } from './unwritten-outcomes.ts'

type Waiting = {
  readonly made: MadeAttempt
  readonly untilMs: number
  /** Absent when nobody waits any more. */
  readonly caller?: {
    readonly settle: (decision: Decision) => void
    readonly fail: (error: unknown) => void
  }
}

/** Outcomes that share a commit at most. */
const BATCH_SIZE = 200
/**
 * A batch begins no sooner than so long after the one before began. So at 200 outcomes a second two or three share a commit, and one
 * that comes alone waits for nothing. Measured: docs/benchmarks.md.
 */
const GATHER_MS = 10
const RETRY_PAUSE_MS = 250
/** While nothing can be written the log says so this often. */
const LINE_EVERY_MS = 10_000
/** Pause before an outcome is tried again whose row another transaction locks. */
const LOCKED_PAUSE_MS = 50

/**
 * Records the outcomes of attempts. It writes in batches: while one batch commits, the next collects. Under load many
 * attempts share a commit; a single one is written at once.
 */
export class Recorder {
  readonly #deps: Pick<SystemDeps, 'batchDb' | 'log' | 'clock' | 'metrics'>
  readonly #listeners: RecorderListeners
  readonly #unwritten = new UnwrittenOutcomes()
  readonly #lines = new LineInterval(LINE_EVERY_MS)
  readonly #drain = new Drain(
    () => this.#waiting.length > 0,
    async () => {
      await this.#gather()
      await this.#writeBatch(this.#takeBatch())
    },
  )
  #waiting: Waiting[] = []
  #postponed: PostponedSigns = new Map()
  #failures = 0
  #begunAtMs = -Infinity

  constructor(deps: Pick<SystemDeps, 'batchDb' | 'log' | 'clock' | 'metrics'>, listeners: RecorderListeners) {
    this.#deps = deps
    this.#listeners = listeners
  }

  /**
   * Resolves once the outcome is committed. A write that fails is repeated until `untilMs` (epoch milliseconds). After
   * that the recorder keeps the outcome, and tries again when it is healed.
   *
   * @throws when the time is over: the database's latest error, or an Error when another transaction locks the row
   */
  record(made: MadeAttempt, untilMs: number): Promise<Decision> {
    return new Promise((settle, fail) => {
      this.#unwritten.add(made)
      this.#waiting.push({ made, untilMs, caller: { settle, fail } })
      void this.#drain.run()
    })
  }

  /** The delivery's outcome that is not written yet. The next attempt records it, and does not send again. */
  unrecorded(deliveryId: string): MadeAttempt | undefined {
    return this.#unwritten.find(deliveryId)
  }

  /** Whether outcomes cannot be written at the moment, or many are kept. Nothing new may be sent then. */
  isStuck(): boolean {
    return this.#failures > 0 || this.#unwritten.isFull()
  }

  /**
   * Call it when the database took a write (the heartbeat). Unless callers still wait, sending may begin again and kept
   * outcomes are tried again.
   */
  heal(): void {
    if (this.#waiting.length > 0 || this.#drain.isBusy) return
    this.#failures = 0
    this.#waiting = this.#unwritten.kept().map((made) => ({ made, untilMs: 0 }))
    void this.#drain.run()
  }

  /** Lets outcomes come together. */
  async #gather(): Promise<void> {
    const restMs = this.#begunAtMs + GATHER_MS - performance.now()
    if (restMs > 0) await delay(restMs)
    this.#begunAtMs = performance.now()
  }

  /** A batch has one outcome per delivery: a second one must be decided from the row as the first one left it. */
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
    return batch
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#write(batch)
    } catch (error) {
      if (batch.length > 1 && !isLost(error)) return this.#writeOneByOne(batch)
      await this.#keep(batch, error)
    }
  }

  /** Writes each outcome by itself, so that one that cannot be written does not stop the others. */
  async #writeOneByOne(batch: readonly Waiting[]): Promise<void> {
    for (const entry of batch) {
      await this.#write([entry]).catch((error: unknown) => this.#keep([entry], error))
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
      this.#unwritten.written(deliveryId)
      entry.caller?.settle(decisions.get(deliveryId) ?? { kind: 'stale' })
    }
    tellRecorded(this.#listeners, this.#deps.metrics, recording)
  }

  /** Tries an outcome again later because another transaction locks its row. The other outcomes do not wait for it. */
  #setAside(entry: Waiting): void {
    if (!entry.caller) return
    if (entry.untilMs <= this.#deps.clock().getTime()) {
      this.#unwritten.keep(entry.made.deliveryId)
      entry.caller.fail(new Error('another transaction has locked the row of the delivery'))
      return
    }
    setTimeout(() => {
      this.#waiting.push(entry)
      void this.#drain.run()
    }, LOCKED_PAUSE_MS)
  }

  /** Fails the callers whose time is over, and keeps their outcomes. The others are tried again after a pause. */
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
      if (entry.untilMs > nowMs) {
        this.#waiting.push(entry)
        continue
      }
      this.#unwritten.keep(entry.made.deliveryId)
      entry.caller?.fail(error)
    }
    if (!isRetryable(error)) await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS))
  }
}
