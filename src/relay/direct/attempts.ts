import type { Attempts } from '../../attempts/attempt-delivery.ts'
import type { Claim } from '../../db/outbox/claims.ts'
import { releaseStarts, type ClaimedRow } from '../../db/outbox/outbox.ts'
import type { GateRows } from '../../db/delivery/gate-rows.ts'
import { doublingPause } from '../../domain/doubling.ts'
import { again, LEFT, settleRow, UNNEEDED, type Verdict } from '../context.ts'
import type { SystemDeps } from '../../deps/deps.ts'

/*
 * Direct attempts (DELIVERY_FIRST_ATTEMPT=direct). The relay makes the first attempt of a delivery itself, and the
 * retries that are due within DIRECT_RETRIES_WITHIN after the first attempt began. Direct attempts use the same gate,
 * slots, sender and recorder as attempts of a workflow. If a direct attempt succeeds, Temporal never learns of the
 * delivery. A workflow takes over a delivery that needs a later retry, or that failed for good.
 *
 * The `start` row of the delivery in the outbox shows the delivery's state:
 *
 * - waiting: the publish inserts the row without a lease. The resumption of a parked delivery and the reconciler also
 *   queue it.
 * - direct: the claim locks row and delivery, sets `is_direct`, the lease and its owner, and counts a try. It does so
 *   only while `deliveries.in_temporal` is 0. If `in_temporal` is 1, or at the third claim without a recorded outcome,
 *   the claim gives the row to a workflow. While no call to Temporal is free, a row for a workflow waits a second, so
 *   that direct attempts go on.
 * - gone: the transaction that records a success deletes the row. Parking and closing delete it without an attempt.
 *   After a parking, the activation queues `start` for a first attempt, or `wake` for a retry, which a workflow makes.
 * - waiting for its time: the transaction that records a failure puts a new row in its place, due at `next_retry_at`,
 *   in the webhook's queue of direct retries. `argument` stores until when retries are direct. When the retry is due
 *   and a slot is free, the relay claims the row like the first one. If a user requests a retry before that, the
 *   request sets `in_temporal`, and the transaction that records the workflow's attempt deletes the row.
 * - handed over: the retry is due after DIRECT_RETRIES_WITHIN, or no retry is left. The transaction that records the
 *   failure sets `in_temporal` and replaces the row with a `handover` row. The relay carries that row out as a call to
 *   Temporal (../delivery-commands.ts).
 * - waiting again: no request was sent. A deferred attempt does not count as a try. A fault of ours counts as a try,
 *   and the row comes back after a pause. A worker whose grace period is over gives its rows back, so that another
 *   worker can claim them at once.
 *
 * `in_temporal` is 1 from the moment a workflow may exist. From then on no direct attempt begins. While the lease
 * lasts, only its owner sends. Queueing the delivery again does not change the row. The commands retry, wake and
 * cancel-webhook check every 200 ms whether the attempt is over, and a workflow that an operator started by hand waits
 * too.
 *
 * The lease lasts as long as the longest attempt, counted from the claim, and recording ends a little before the lease
 * ends. But a process may stall so long that another worker claims the row. So an attempt with a claim older than 250
 * ms renews its lease before its first byte. If it has lost the lease, it does not send. For the same reason a failure
 * is recorded only under the attempt's own lease. A 2xx is recorded in any case, because the receiver has the event.
 *
 * If the worker crashes, this survives:
 *
 * - before the outcome is recorded, whether or not a request was sent: the row. At the end of the lease another worker
 *   claims the row and sends, perhaps a second time, under the same webhook-id.
 * - after a success is recorded: nothing, because nothing is left to do.
 * - after a failure is recorded and a direct retry waits: the new `start` row, which any worker claims at its time.
 * - after any other failure is recorded: the `handover` row, until its call to Temporal has succeeded. A repeated call
 *   wakes the same run, which reads the delivery before it does anything. From then on Temporal and the reconciler
 *   guard the delivery.
 */

type Parts = {
  readonly attempts: Pick<Attempts, 'makeDirect'>
  readonly owner: string
  readonly leaseMs: number
  /** Called when a failure is recorded and a `handover` row waits for its claim. */
  readonly onHandover: () => void
  /** Called when an attempt ends without a recorded failure. Its probe is then no longer under way. Never rejects. */
  readonly onUnsent: (row: ClaimedRow) => Promise<void>
}

/** Pause after a fault of ours. It doubles with each claim of the row. */
const FAULT_PAUSE_MS = { first: 1_000, longest: 32_000 }

/** Makes the direct attempts of this worker. */
export class DirectAttempts {
  readonly #deps: Pick<SystemDeps, 'db' | 'log' | 'metrics'>
  readonly #parts: Parts
  readonly #underWay = new Set<number>()

  constructor(deps: Pick<SystemDeps, 'db' | 'log' | 'metrics'>, parts: Parts) {
    this.#deps = deps
    this.#parts = parts
  }

  /**
   * Makes the attempt of a claimed row. Never rejects: our own fault gives the row back.
   *
   * @param claimedAtMs when the claim began, by this process's clock
   */
  async make({ row, delivery }: Claim, claimedAtMs: number): Promise<void> {
    if (!delivery) return this.#settle(row, UNNEEDED)
    this.#underWay.add(row.id)
    try {
      await this.#settle(row, await this.#attempt(row, delivery, claimedAtMs))
    } finally {
      this.#underWay.delete(row.id)
    }
  }

  /** Gives back the rows of attempts that the end of this process aborts. */
  async releaseAll(): Promise<void> {
    if (this.#underWay.size > 0) await releaseStarts(this.#deps.db, [...this.#underWay], this.#parts.owner)
  }

  /** Makes the attempt and returns the verdict for the row. Never throws: a fault of ours also gives a verdict. */
  async #attempt(row: ClaimedRow, rows: GateRows, claimedAtMs: number): Promise<Verdict> {
    const { attempts, owner, leaseMs, onHandover, onUnsent } = this.#parts
    const lease = { rowId: row.id, version: row.version, owner }
    const until = row.argument === null ? {} : { directUntil: new Date(row.argument) }
    const start = { rows, lease, leaseMs, claimedAtMs, isRepeated: row.tries > 0, ...until }
    // makeDirect has logged the fault.
    const report = await attempts.makeDirect(start).catch(() => undefined)
    if (report) this.#deps.metrics.relayCommands.inc({ kind: row.kind, result: 'direct' })
    if (report?.kind === 'failed') {
      if (!report.isNextDirect) onHandover()
      return LEFT
    }
    await onUnsent(row)
    if (!report) return { kind: 'failed', pauseMs: doublingPause(FAULT_PAUSE_MS, row.tries) }
    return report.kind === 'deferred' ? again(report.delayMs) : LEFT
  }

  async #settle(row: ClaimedRow, verdict: Verdict): Promise<void> {
    await settleRow(this.#deps.db, row, this.#parts.owner, verdict).catch((error: unknown) => {
      const ids = { delivery_id: row.targetId }
      this.#deps.log.warn({ err: error, ...ids }, 'a first attempt comes back when its lease ends')
    })
  }
}
