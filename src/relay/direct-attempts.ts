import type { Attempts } from '../attempts/attempt-delivery.ts'
import type { AttemptReport } from '../attempts/attempt-report.ts'
import type { Claim, ClaimedRow } from '../db/system/claims.ts'
import { deleteStarts, putBackRow, releaseRow, releaseStarts } from '../db/system/outbox-rows.ts'
import { doublingPause } from '../domain/doubling.ts'
import type { Deps } from '../process/deps.ts'

type Parts = {
  readonly attempts: Pick<Attempts, 'makeDirect'>
  readonly owner: string
  readonly leaseMs: number
  /** A delivery failed, and waits for its hand-over to a workflow. */
  readonly onHandover: () => void
  /** Nothing was sent for the row. */
  readonly onUnsent: (row: ClaimedRow) => Promise<void>
}

/** Pause after a fault of ours. It doubles with each claim of the row. */
const FAULT_PAUSE_MS = { first: 1_000, longest: 32_000 }

/**
 * Makes first attempts without workflows. Each holds the lease of its start row. The recording of the attempt removes
 * the row; an attempt that was not made gives it back.
 */
export class DirectAttempts {
  readonly #deps: Pick<Deps, 'db' | 'log' | 'metrics'>
  readonly #parts: Parts
  readonly #underWay = new Map<number, ClaimedRow>()

  constructor(deps: Pick<Deps, 'db' | 'log' | 'metrics'>, parts: Parts) {
    this.#deps = deps
    this.#parts = parts
  }

  /**
   * Makes the attempt of a claimed row. Never rejects: our own fault gives the row back.
   *
   * @param claimedAtMs when the claim was begun, by this process's clock
   */
  async make({ row, delivery }: Claim, claimedAtMs: number): Promise<void> {
    const { attempts, owner, leaseMs } = this.#parts
    if (!delivery) return this.#settle(row, () => deleteStarts(this.#deps.db, [row.targetId]))
    this.#underWay.set(row.id, row)
    try {
      const lease = { rowId: row.id, version: row.version, owner }
      const report = await attempts.makeDirect({ rows: delivery, lease, leaseMs, claimedAtMs })
      await this.#settle(row, () => this.#conclude(row, report))
    } catch {
      // The attempts have logged the fault.
      await this.#parts.onUnsent(row)
      await this.#settle(row, () =>
        releaseRow(this.#deps.db, row, owner, doublingPause(FAULT_PAUSE_MS, row.tries)),
      )
    } finally {
      this.#underWay.delete(row.id)
    }
  }

  /** Gives back the rows of attempts that the end of this process cuts, so that another worker makes them soon. */
  async releaseAll(): Promise<void> {
    const ids = [...this.#underWay.keys()]
    if (ids.length > 0) await releaseStarts(this.#deps.db, ids, this.#parts.owner)
  }

  async #conclude(row: ClaimedRow, report: AttemptReport): Promise<void> {
    this.#deps.metrics.relayCommands.inc({ kind: row.kind, result: 'direct' })
    if (report.kind === 'failed') {
      this.#parts.onHandover()
      return
    }
    await this.#parts.onUnsent(row)
    // Nothing was sent, so this claim does not count.
    if (report.kind === 'deferred') await putBackRow(this.#deps.db, row, this.#parts.owner, report.delayMs)
  }

  async #settle(row: ClaimedRow, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      const ids = { delivery_id: row.targetId }
      this.#deps.log.warn({ err: error, ...ids }, 'a first attempt comes back when its lease ends')
    })
  }
}
