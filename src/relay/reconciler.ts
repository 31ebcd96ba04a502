import { inTransaction } from '../db/connection/connection.ts'
import { giveTurns, listWaitingCompanies } from '../db/recovery/turns.ts'
import { takeLease } from '../db/workers.ts'
import {
  wakeForgottenDeliveries,
  type ForgottenPart,
  type PageCursor,
} from '../db/system/forgotten-deliveries.ts'
import { restartForgottenRecoveries } from '../db/system/forgotten-recoveries.ts'
import type { Deps } from '../process/deps.ts'
import { BacklogLimit } from './backlog-limit.ts'
import { FailingEndpoints } from './failing-endpoints.ts'
import { DeliveryFigures } from './delivery-figures.ts'
import { NoticeMaker } from './notice-maker.ts'

/** Longest time between two rounds. With a shorter RECONCILE_AFTER the rounds are as frequent as that. */
const LONGEST_INTERVAL_MS = 60_000
const PAGE = 1_000
/** Pages that one round reads; the next round continues after them. So a round costs no more, however many rows wait. */
const PAGES_PER_ROUND: Readonly<Record<ForgottenPart, number>> = { overdue: 8, parked: 2 }

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
export function createReconciler(deps: Deps, { owner, prepareTemporal, onQueued }: Options): Reconciler {
  const { db, config, log, metrics } = deps
  const intervalMs = Math.min(LONGEST_INTERVAL_MS, Math.max(config.reconcileAfterMs, 200))
  const cursors = new Map<ForgottenPart, PageCursor | undefined>()
  const figures = new DeliveryFigures(deps)
  const backlogs = new BacklogLimit(deps, figures)
  const failing = new FailingEndpoints(deps)
  const notices = new NoticeMaker(deps)
  let isStopped = false

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
    await attempt(() => restartRecoveries())
    await attempt(() => backlogs.look())
    await attempt(() => failing.look())
    await attempt(() => notices.look())
  }

  /** No part of a round keeps the others from theirs. */
  const attempt = (part: () => Promise<void>): Promise<void> =>
    part().catch((error: unknown) => {
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
      cursors.set(part, next)
      if (queued > 0) {
        metrics.reconciled.inc(queued)
        log.warn({ deliveries: queued }, 'deliveries that nothing would have woken are queued again')
        onQueued()
      }
      if (!next) return
    }
  }

  /** A workflow of a recovery may be lost as every other. To start one that runs changes nothing. So may a free place. */
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
