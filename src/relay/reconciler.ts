import { takeLease } from '../db/workers.js'
import { wakeForgottenDeliveries } from '../db/system/open-deliveries.js'
import type { Deps } from '../deps.js'

/** Longest time between two looks; with a shorter RECONCILE_AFTER it looks as often as that. */
const LONGEST_INTERVAL_MS = 60_000
const PAGE = 500
/** Pages of one look, so that a lost Temporal store is rebuilt steadily and not in one gulp. */
const PAGES_PER_LOOK = 20

type Options = {
  readonly owner: string
  /** Registers what Temporal needs and does not have. */
  readonly prepareTemporal: () => Promise<void>
  readonly onQueued: () => void
}

/**
 * Every minute each worker sees to it that Temporal has what we register: a server that lost its store has forgotten it,
 * and an operator may have added what was missing. Then one worker, by lease, queues what nothing else would wake.
 *
 * @returns a function that stops it and waits for the look under way
 */
export function startReconciler(
  deps: Deps,
  { owner, prepareTemporal, onQueued }: Options,
): () => Promise<void> {
  const { db, config, log, metrics } = deps
  const intervalMs = Math.min(LONGEST_INTERVAL_MS, Math.max(config.reconcileAfterMs, 200))
  let underWay: Promise<void> = Promise.resolve()
  let isLooking = false

  async function look(): Promise<void> {
    await prepareTemporal().catch((error: unknown) =>
      log.warn({ err: error }, 'what is registered at Temporal could not be checked'),
    )
    if (!(await takeLease(db, 'reconciler', owner, Math.ceil((intervalMs * 1.5) / 1000)))) return
    for (let page = 0; page < PAGES_PER_LOOK; page++) {
      const queued = await wakeForgottenDeliveries(db, config.reconcileAfterMs, PAGE)
      if (queued > 0) {
        metrics.reconciled.inc(queued)
        log.warn({ deliveries: queued }, 'deliveries that nothing would have woken are queued again')
        onQueued()
      }
      if (queued < PAGE) return
    }
  }

  const timer = setInterval(() => {
    // One at a time: while Temporal or the database hangs, looks would pile up.
    if (isLooking) return
    isLooking = true
    underWay = look()
      .catch((error: unknown) => log.warn({ err: error }, 'the reconciler could not look'))
      .finally(() => (isLooking = false))
  }, intervalMs)
  return async () => {
    clearInterval(timer)
    await underWay
  }
}
