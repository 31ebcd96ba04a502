import { isLost, isRetryable } from '../domain/database-errors.js'
import type { Deps } from '../process/deps.js'
import { LineInterval } from '../domain/line-interval.js'
import type { MadeAttempt } from '../domain/delivery/outcome.js'
import type { Decision } from '../domain/delivery/transitions.js'
import type { AttemptLog } from './attempt-log.js'
import { recordBatch } from './record-batch.js'

/** Records the outcomes of attempts. */
export type Recorder = {
  /**
   * Resolves once the outcome is committed. A write that fails is repeated until `untilMs` (epoch milliseconds). After
   * that the recorder keeps the outcome, and tries again when it is healed.
   *
   * @throws when the time is over: the database's latest error, or an Error when another transaction locks the row
   */
  readonly record: (made: MadeAttempt, untilMs: number) => Promise<Decision>
  /** The delivery's outcome that is not written yet. The next attempt records it, and does not send again. */
  readonly unrecorded: (deliveryId: string) => MadeAttempt | undefined
  /** Whether outcomes cannot be written at the moment, or many are kept. Nothing new may be sent then. */
  readonly isStuck: () => boolean
  /**
   * Call it when the database accepted a write (the heartbeat). Unless callers still wait, sending may begin again, and
   * the recorder tries kept outcomes again.
   */
  readonly heal: () => void
}

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
const RETRY_PAUSE_MS = 250
/** While nothing can be written the log says so this often. */
const LINE_EVERY_MS = 10_000
/** Pause before an outcome is tried again whose row another transaction locks. */
const HELD_PAUSE_MS = 50
/**
 * With this many kept outcomes nothing is sent any more. A few kept outcomes may belong to rows that cannot be written.
 * They must not stop all other deliveries. Many mean that the database accepts heartbeats but no outcomes, so no
 * attempt could be recorded.
 */
const KEPT_LIMIT = 50

/**
 * Writes in small batches: while one batch commits, the next collects. Under load many attempts share a commit; a
 * single one is written at once.
 */
export function createRecorder(
  deps: Pick<Deps, 'batchDb' | 'log' | 'clock'>,
  attemptLog: Pick<AttemptLog, 'recorded'>,
): Recorder {
  const { log, clock } = deps
  const unwritten = new Map<string, MadeAttempt>()
  /** Ids of unwritten outcomes for which no caller waits any more. */
  const kept = new Set<string>()
  let waiting: Waiting[] = []
  let isWriting = false
  let failures = 0
  const lines = new LineInterval(LINE_EVERY_MS)

  async function drain(): Promise<void> {
    if (isWriting) return
    isWriting = true
    while (waiting.length > 0) {
      const batch = takeBatch()
      await writeBatch(batch)
    }
    isWriting = false
  }

  /** A batch has one outcome per delivery: a second one must be decided from the row as the first one left it. */
  function takeBatch(): Waiting[] {
    const batch: Waiting[] = []
    const rest: Waiting[] = []
    const ids = new Set<string>()
    for (const entry of waiting) {
      const { deliveryId } = entry.made
      const fits = batch.length < BATCH_SIZE && !ids.has(deliveryId)
      ids.add(deliveryId)
      ;(fits ? batch : rest).push(entry)
    }
    waiting = rest
    return batch
  }

  async function writeBatch(batch: Waiting[]): Promise<void> {
    try {
      await write(batch)
    } catch (error) {
      if (batch.length > 1 && !isLost(error)) return writeOneByOne(batch)
      await keep(batch, error)
    }
  }

  /** Writes each outcome by itself, so that one that cannot be written does not stop the others. */
  async function writeOneByOne(batch: Waiting[]): Promise<void> {
    for (const entry of batch) await write([entry]).catch((error: unknown) => keep([entry], error))
  }

  async function write(batch: Waiting[]): Promise<void> {
    const { decisions, attempts, held } = await recordBatch(
      deps.batchDb,
      batch.map((entry) => entry.made),
    )
    failures = 0
    lines.reset()
    for (const entry of batch) {
      const { deliveryId } = entry.made
      if (held.has(deliveryId)) {
        setAside(entry)
        continue
      }
      unwritten.delete(deliveryId)
      kept.delete(deliveryId)
      entry.caller?.settle(decisions.get(deliveryId) ?? { kind: 'stale' })
    }
    for (const attempt of attempts) attemptLog.recorded(attempt)
  }

  /** Tries an outcome again later because another transaction locks its row. The other outcomes do not wait for it. */
  function setAside(entry: Waiting): void {
    if (!entry.caller) return
    if (entry.untilMs <= clock().getTime()) {
      kept.add(entry.made.deliveryId)
      entry.caller.fail(new Error('the row of the delivery is locked by somebody else'))
      return
    }
    setTimeout(() => {
      waiting.push(entry)
      void drain()
    }, HELD_PAUSE_MS)
  }

  /** Fails the callers whose time is over, and keeps their outcomes. The others are tried again after a pause. */
  async function keep(batch: Waiting[], error: unknown): Promise<void> {
    const called = batch.filter(({ caller }) => caller)
    // A deadlock or a lock time-out comes from another transaction, and is no sign that the database is lost.
    if (called.length > 0 && !isRetryable(error)) failures += 1
    const nowMs = clock().getTime()
    const leftOut = lines.admit(nowMs)
    if (leftOut !== undefined) {
      const outcomes = batch.length + waiting.length
      log.warn({ err: error, outcomes, left_out: leftOut }, 'outcomes could not be recorded; trying again')
    }
    for (const entry of called) {
      if (entry.untilMs > nowMs) {
        waiting.push(entry)
        continue
      }
      kept.add(entry.made.deliveryId)
      entry.caller?.fail(error)
    }
    if (!isRetryable(error)) await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS))
  }

  return {
    record: (made, untilMs) =>
      new Promise<Decision>((settle, fail) => {
        unwritten.set(made.deliveryId, made)
        waiting.push({ made, untilMs, caller: { settle, fail } })
        void drain()
      }),
    unrecorded: (deliveryId) => unwritten.get(deliveryId),
    isStuck: () => failures > 0 || kept.size >= KEPT_LIMIT,
    heal: () => {
      if (waiting.length > 0 || isWriting) return
      failures = 0
      waiting = [...kept].flatMap((id) => unwritten.get(id) ?? []).map((made) => ({ made, untilMs: 0 }))
      void drain()
    },
  }
}
