import { listOpenGroups } from '../db/delivery/open-groups.ts'
import {
  wakeForgottenDeliveries,
  wakeForgottenOf,
  type ForgottenPart,
  type PageCursor,
} from '../db/delivery/forgotten-deliveries.ts'
import type { SystemDeps } from '../deps/deps.ts'
import type { Job } from './upkeep.ts'

/** One page has at most this many deliveries. */
const PAGE = 1_000
/**
 * One round reads at most this many pages of each part. The next round continues after them. So the cost of a round
 * does not grow with the number of waiting rows.
 */
const PAGES_PER_ROUND: Readonly<Record<ForgottenPart, number>> = { overdue: 8, parked: 2 }

/**
 * If a round cannot read all deliveries, groups of deliveries (OpenGroup) also get turns. The turns together read about
 * this many deliveries, equally many of each group. So a company with 10 million waiting deliveries does not delay a
 * lost delivery of another company.
 */
const ROWS_IN_TURNS = 8_000
/** The number of deliveries that one turn of a group may read lies between these two. */
const PAGE_IN_TURNS = { least: 16, most: 500 }
/** A round gives turns to the groups of at most this many companies. */
const COMPANIES_PER_ROUND = 1_000

/** Queues the open deliveries that nothing else would wake. */
export class Reconciler {
  readonly #deps: Pick<SystemDeps, 'db' | 'config' | 'log' | 'metrics'>
  readonly #onQueued: () => void
  /** Where the next round continues. A part that was read to its end has no entry. */
  readonly #cursors = new Map<ForgottenPart, PageCursor>()
  /** Where the turns continue in each group that has more than a page. */
  readonly #places = new Map<string, PageCursor>()
  /** The company after which the turns continue. */
  #afterCompany = ''
  #isStopped = false

  /** @param onQueued called when deliveries were queued */
  constructor(deps: Pick<SystemDeps, 'db' | 'config' | 'log' | 'metrics'>, onQueued: () => void) {
    this.#deps = deps
    this.#onQueued = onQueued
  }

  /**
   * Returns the jobs of the reconciler in their order. When the worker stops, a `look` that is running ends after its
   * current page.
   */
  jobs(): readonly Job[] {
    const stop = () => void (this.#isStopped = true)
    return [
      { look: () => this.#wakeForgotten('overdue'), stop },
      { look: () => this.#wakeForgotten('parked'), stop },
      { look: () => this.#wakeInTurns(), stop },
    ]
  }

  /** Continues where the previous round ended. Stops at the end of the part. */
  async #wakeForgotten(part: ForgottenPart): Promise<void> {
    const { db, config } = this.#deps
    for (let page = 0; page < PAGES_PER_ROUND[part] && !this.#isStopped; page++) {
      const { queued, next } = await wakeForgottenDeliveries(db, part, {
        afterMs: config.reconcileAfterMs,
        from: this.#cursors.get(part),
        limit: PAGE,
      })
      if (next) this.#cursors.set(part, next)
      else this.#cursors.delete(part)
      this.#tell(queued)
      if (!next) return
    }
  }

  /** Reads one page of each group in turn. Then reads further pages of groups that have more, up to about ROWS_IN_TURNS rows. */
  async #wakeInTurns(): Promise<void> {
    if (this.#cursors.size === 0) {
      this.#places.clear()
      return
    }
    const { db, config } = this.#deps
    const { groups, next } = await listOpenGroups(db, this.#afterCompany, COMPANIES_PER_ROUND)
    this.#afterCompany = next ?? ''
    const { least, most } = PAGE_IN_TURNS
    const limit = Math.min(most, Math.max(least, Math.floor(ROWS_IN_TURNS / Math.max(1, groups.length))))
    let waiting = groups
    for (let left = ROWS_IN_TURNS; waiting.length > 0 && left > 0;) {
      const more: typeof groups = []
      for (const group of waiting) {
        if (this.#isStopped) return
        const key = `${group.companyId} ${group.environment} ${group.status}`
        const from = this.#places.get(key)
        const page = await wakeForgottenOf(db, group, { afterMs: config.reconcileAfterMs, from, limit })
        left -= limit
        this.#tell(page.queued)
        if (page.next) this.#places.set(key, page.next)
        else this.#places.delete(key)
        if (page.next) more.push(group)
      }
      waiting = more
    }
  }

  #tell(queued: number): void {
    if (queued === 0) return
    const { log, metrics } = this.#deps
    metrics.reconciled.inc(queued)
    log.warn({ deliveries: queued }, 'deliveries that nothing would have woken are queued again')
    this.#onQueued()
  }
}
