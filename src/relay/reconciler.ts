import { retryStopped } from '../db/connection/stopped.ts'
import { inTransaction } from '../db/connection/connection.ts'
import { giveTurns, listWaitingCompanies } from '../db/recovery/turns.ts'
import { takeLease } from '../db/workers.ts'
import {
  wakeForgottenDeliveries,
  wakeForgottenOf,
  type ForgottenPart,
  type PageCursor,
} from '../db/delivery/forgotten-deliveries.ts'
import { listOpenGroups } from '../db/delivery/open-groups.ts'
import { restartForgottenRecoveries } from '../db/recovery/forgotten-recoveries.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { BacklogLimit } from './backlog-limit.ts'
import { FailingEndpoints } from './failing-endpoints.ts'
import { DeliveryFigures } from './delivery-figures.ts'
import { NoticeMaker } from './notice-maker.ts'

/** Longest time between two rounds. With a shorter RECONCILE_AFTER the rounds are as frequent as that. */
const LONGEST_INTERVAL_MS = 60_000
const PAGE = 1_000
/** Pages that one round reads; the next round continues after them. So a round costs no more, however many rows wait. */
const PAGES_PER_ROUND: Readonly<Record<ForgottenPart, number>> = { overdue: 8, parked: 2 }

/**
 * What a round reads besides while that is not enough: of each company a part of these deliveries. So one with 10 million that wait
 * delays no lost delivery of another.
 */
const ROWS_IN_TURNS = 8_000
const PAGE_IN_TURNS = { least: 16, most: 500 }
/** Companies that a round looks at. */
const COMPANIES_PER_ROUND = 1_000

type Options = {
  readonly owner: string
  /** Registers what Temporal needs and does not have. */
  readonly prepareTemporal: () => Promise<void>
  readonly onQueued: () => void
}

export type Reconciler = {
  /** How often to run it, in milliseconds. */
  readonly intervalMs: number
  /** One round. Never throws: what went wrong is in the log. */
  run(): Promise<void>
  /** The round under way ends with its page. */
  stop(): void
}

/**
 * Every minute each worker checks that Temporal has what we register. A server may have lost its store, or an operator
 * may have added what was missing. Then one worker, which has the lease for it, queues the deliveries that nothing else
 * would wake, deactivates webhooks for which too many wait or whose endpoints have failed for days, tells how many
 * deliveries are open, and makes notices of what somebody should know.
 */
export function createReconciler(
  deps: SystemDeps,
  { owner, prepareTemporal, onQueued }: Options,
): Reconciler {
  const { db, config, log, metrics } = deps
  const intervalMs = Math.min(LONGEST_INTERVAL_MS, Math.max(config.reconcileAfterMs, 200))
  const cursors = new Map<ForgottenPart, PageCursor>()
  /** Where the turns go on: behind which company, and in each group that has more than a page. */
  const turns = { after: '', places: new Map<string, PageCursor>() }
  const figures = new DeliveryFigures(deps)
  const backlogs = new BacklogLimit(deps, figures)
  const failing = new FailingEndpoints(deps)
  const notices = new NoticeMaker(deps)
  let isStopped = false
  const isStopping = () => isStopped

  async function runRound(): Promise<void> {
    await prepareTemporal().catch((error: unknown) =>
      log.warn({ err: error }, 'what is registered at Temporal could not be checked'),
    )
    if (!(await takeLease(db, 'reconciler', owner, Math.ceil((intervalMs * 1.5) / 1000)))) {
      failing.rest()
      notices.rest()
      figures.clear()
      return
    }
    await attempt(() => wakeForgotten('overdue'))
    await attempt(() => wakeForgotten('parked'))
    if (cursors.size > 0) await attempt(() => wakeInTurns())
    else turns.places.clear()
    await attempt(() => restartRecoveries())
    await attempt(() => backlogs.look())
    await attempt(() => failing.look())
    await attempt(() => notices.look())
  }

  /** No part of a round keeps the others from theirs. */
  const attempt = (part: () => Promise<void>): Promise<void> =>
    retryStopped(part).catch((error: unknown) => {
      log.warn({ err: error }, 'a part of a round of the reconciler failed')
    })

  /** Continues where the round before ended, up to the end of the part at most. */
  async function wakeForgotten(part: ForgottenPart): Promise<void> {
    for (let page = 0; page < PAGES_PER_ROUND[part] && !isStopped; page++) {
      const { queued, next } = await wakeForgottenDeliveries(db, part, {
        afterMs: config.reconcileAfterMs,
        from: cursors.get(part),
        limit: PAGE,
      })
      if (next) cursors.set(part, next)
      else cursors.delete(part)
      tell(queued)
      if (!next) return
    }
  }

  function tell(queued: number): void {
    if (queued === 0) return
    metrics.reconciled.inc(queued)
    log.warn({ deliveries: queued }, 'deliveries that nothing would have woken are queued again')
    onQueued()
  }

  /** A page of each company in turns, and further ones of those that have more while there is room. */
  async function wakeInTurns(): Promise<void> {
    const { groups, next } = await listOpenGroups(db, turns.after, COMPANIES_PER_ROUND)
    turns.after = next ?? ''
    const { least, most } = PAGE_IN_TURNS
    const limit = Math.min(most, Math.max(least, Math.floor(ROWS_IN_TURNS / Math.max(1, groups.length))))
    let waiting = groups
    for (let left = ROWS_IN_TURNS; waiting.length > 0 && left > 0 && !isStopped;) {
      const more: typeof groups = []
      for (const group of waiting) {
        if (isStopping()) return
        const key = `${group.companyId} ${group.environment} ${group.status}`
        const from = turns.places.get(key)
        const page = await wakeForgottenOf(db, group, { afterMs: config.reconcileAfterMs, from, limit })
        left -= limit
        tell(page.queued)
        if (page.next) turns.places.set(key, page.next)
        else turns.places.delete(key)
        if (page.next) more.push(group)
      }
      waiting = more
    }
  }

  /** A workflow of a recovery may be lost as every other. To start one that runs changes nothing. */
  async function restartRecoveries(): Promise<void> {
    const recoveries = await restartForgottenRecoveries(db, config.reconcileAfterMs, PAGE)
    const companies = await listWaitingCompanies(db, PAGE)
    for (const companyId of companies) await inTransaction(db, (trx) => giveTurns(trx, companyId))
    if (recoveries + companies.length > 0) onQueued()
  }

  return {
    intervalMs,
    run: () =>
      runRound().catch((error: unknown) => {
        log.warn({ err: error }, 'a round of the reconciler failed')
      }),
    stop() {
      isStopped = true
    },
  }
}
