import { inTransaction } from '../db/connection.js'
import { isRetryable } from '../db/errors.js'
import { lockDeliveries, writeOutcomes, type DecidedOutcome } from '../db/system/outcomes.js'
import type { Deps } from '../deps.js'
import { decideOutcome, type Decision, type MadeAttempt } from '../domain/recording.js'

/** Writes what came of attempts. */
export type Recorder = {
  /**
   * Settles once the outcome is committed. An outcome that cannot be written is kept and tried again until `until`.
   *
   * @throws what the database said last, when the time is over
   */
  record(made: MadeAttempt, until: number): Promise<Decision>
  /** Whether outcomes wait that could not be written: then nothing new may be sent. */
  isStuck(): boolean
  /** Tells that the database took a write (the heartbeat): with nothing left waiting, sending may begin again. */
  heal(): void
}

type Waiting = {
  readonly made: MadeAttempt
  readonly untilMs: number
  readonly settle: (decision: Decision) => void
  readonly fail: (error: unknown) => void
}

/** Outcomes that share a commit at most. */
const BATCH_SIZE = 200
const RETRY_PAUSE_MS = 250

/**
 * Micro-batches: while one batch commits, the next collects. Under load many attempts share a commit; a lone one is
 * written at once.
 */
export function createRecorder(deps: Pick<Deps, 'db' | 'log' | 'clock'>): Recorder {
  const { log, clock } = deps
  let waiting: Waiting[] = []
  let isWriting = false
  let failures = 0

  async function drain(): Promise<void> {
    if (isWriting) return
    isWriting = true
    while (waiting.length > 0) {
      const batch = takeBatch()
      await writeBatch(batch)
    }
    isWriting = false
  }

  /** One outcome per delivery and batch: a second one must see what the first made of the row. */
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
      settleAll(
        batch,
        await writeTogether(
          deps,
          batch.map(({ made }) => made),
        ),
      )
      failures = 0
    } catch (error) {
      if (batch.length > 1) return writeOneByOne(batch)
      await keep(batch, error)
    }
  }

  /** A poisoned row must not hold its neighbours back. */
  async function writeOneByOne(batch: Waiting[]): Promise<void> {
    for (const entry of batch) {
      try {
        settleAll([entry], await writeTogether(deps, [entry.made]))
        failures = 0
      } catch (error) {
        await keep([entry], error)
      }
    }
  }

  async function keep(batch: Waiting[], error: unknown): Promise<void> {
    failures += 1
    log.warn(
      { err: error, outcomes: batch.length + waiting.length },
      'outcomes could not be recorded; trying again',
    )
    const nowMs = clock().getTime()
    for (const entry of batch) {
      if (entry.untilMs <= nowMs) entry.fail(error)
      else waiting.push(entry)
    }
    if (!isRetryable(error)) await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS))
  }

  return {
    record: (made, untilMs) =>
      new Promise<Decision>((settle, fail) => {
        waiting.push({ made, untilMs, settle, fail })
        void drain()
      }),
    isStuck: () => failures > 0,
    heal: () => {
      if (waiting.length === 0 && !isWriting) failures = 0
    },
  }
}

function settleAll(batch: readonly Waiting[], decisions: ReadonlyMap<string, Decision>): void {
  for (const { made, settle } of batch) settle(decisions.get(made.deliveryId) ?? { kind: 'stale' })
}

async function writeTogether(
  { db }: Pick<Deps, 'db'>,
  batch: readonly MadeAttempt[],
): Promise<Map<string, Decision>> {
  return inTransaction(db, async (trx) => {
    const ids = batch.map(({ deliveryId }) => deliveryId).sort()
    const { locked, now } = await lockDeliveries(trx, ids)
    const decisions = new Map<string, Decision>()
    const outcomes: DecidedOutcome[] = []
    for (const made of batch) {
      const before = locked.get(made.deliveryId)
      if (!before) continue
      const decision = decideOutcome(before.delivery, made, now, Math.random())
      decisions.set(made.deliveryId, decision)
      if (decision.kind === 'recorded') {
        outcomes.push({
          before,
          after: decision.delivery,
          attempt: decision.attempt,
          isGone: decision.isGone,
        })
      }
    }
    await writeOutcomes(trx, outcomes, now)
    return decisions
  })
}
