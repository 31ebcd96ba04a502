import { setTimeout as delay } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import type { RecoveryEnd } from '../db/recovery/turns.ts'
import { countUnderWay, readRecovery } from '../db/recovery/rows.ts'
import { queueRecoveryPage, type PageResult } from '../db/recovery/pages.ts'
import { doublingPause } from '../domain/doubling.ts'
import { fewUnderWay, mostUnderWay, type Recovery } from '../domain/recovery/recovery.ts'
import { letRecoveryWait } from '../db/recovery/wakes.ts'
import type { Deps, SystemDeps } from '../deps/deps.ts'
import type { TemporalPace } from '../attempts/temporal-load.ts'
import { readPage } from './recovery-page.ts'
import type { RecoverInput, RecoverReport } from '../workflows/contract.ts'

/*
 * A recovery sends a webhook's failed deliveries, or its missed events, of a window of time. RECOVERY_STATES
 * (domain/recovery) has the states of its row and who moves it; giveTurns (db/recovery/turns.ts) lets queued ones run.
 * While it runs:
 *
 * - Its workflow (workflows/recover-webhook.ts) calls this activity for one round after the other, and waits in
 *   between.
 * - A round queues pages. The transaction of a page (db/recovery/pages.ts) counts what ended since, ends the recovery
 *   when its webhook is gone or its endpoint fails, opens or makes the deliveries, and moves the cursor past them.
 * - At most twice as many deliveries are under way as the webhook has slots. While the circuit breaker is open it is
 *   one, the next probe.
 * - When no room becomes free, the row notes at how many deliveries under way the recovery goes on (`wakes_at`). The
 *   worker that records the attempt which reaches that number wakes the workflow (attempts/recorded-attempts.ts). A timer
 *   of a minute stands in for a lost wake-up.
 *
 * A recovered delivery may have a direct attempt only if no workflow of it is left. Three things show that: the outbox
 * has no command about it, Temporal says that its run has ended, and its locked row has not changed since both were
 * asked. Otherwise its workflow is woken. A run that starts later reserves the delivery, or waits for the direct attempt.
 *
 * What survives a crash: the row with its cursor. A repeated page finds that the cursor has moved and queues nothing
 * twice. A delivery that fails again is not queued again, because the cursor has passed it. A lost run is started again
 * by the reconciler, and goes on where the row says.
 */

/** Longest time of one activity. It is short, so that other recoveries get its slot, and a worker can stop soon. */
const ROUND_MS = 3_000
/** Pauses between two looks at what is under way: the first after a page, and the longest while nothing changes. */
const PAUSE_MS = { first: 20, longest: 100 }
/**
 * A round ends when no room has become free for this long. A fast endpoint is done with a page within a second, and waiting
 * for it costs less than a new round, which costs Temporal as much as some deliveries.
 */
const IDLE_MS = 1_000

type RoundDeps = SystemDeps & { readonly pace: Pick<TemporalPace, 'turn'> }

/**
 * The activity that does one round of a recovery: it queues page after page, as attempts make room for them. It keeps
 * nothing in memory between rounds, so any worker may do the next round, or repeat this one.
 */
export async function recover(deps: RoundDeps, { recoveryId }: RecoverInput): Promise<RecoverReport> {
  const context = Context.current()
  const isStopping = () => context.cancellationSignal.aborted
  const untilMs = performance.now() + ROUND_MS
  let pages = 0
  let idleLooks = 0
  let idleFromMs = performance.now()
  let result = await doPage(deps, recoveryId, { isForced: true, isStopping })
  let isMore = false
  for (;;) {
    context.heartbeat()
    const isQueued = result.kind === 'queued' && result.deliveries > 0
    if (isQueued) pages += 1
    if (isQueued) idleFromMs = performance.now()
    if (result.kind === 'over' || result.kind === 'waits') break
    isMore = isStopping() || performance.now() >= untilMs
    if (isMore) break
    const isIdle = performance.now() - idleFromMs >= IDLE_MS
    if (isIdle && (await letRecoveryWait(deps.db, recoveryId, result.wakesAt))) break
    idleLooks = isQueued ? 0 : idleLooks + 1
    await delay(doublingPause(PAUSE_MS, idleLooks))
    result = await doPage(deps, recoveryId, { isForced: isIdle, isStopping })
  }
  return { progress: await readProgress(deps, recoveryId), pages, isMore }
}

/** `wakesAt`: the next page has room once no more deliveries than this are under way. */
type LookedAt =
  | Exclude<PageResult, { kind: 'queued' }>
  | { kind: 'queued'; deliveries: number; wakesAt: number }

/** Queues the next page, unless too many deliveries are under way. With `isForced` it looks for work even then. */
async function doPage(
  deps: RoundDeps,
  recoveryId: string,
  { isForced, isStopping }: { readonly isForced: boolean; readonly isStopping: () => boolean },
): Promise<LookedAt> {
  const { db, config, pace } = deps
  const state = await readRecovery(db, recoveryId)
  if (state?.recovery.state !== 'running') return { kind: 'over' }
  const { recovery, cursor } = state
  const underWay = await countUnderWay(db, recoveryId)
  const most = mostUnderWay(config.webhookConcurrency, state.isFailing)
  const wakesAt = fewUnderWay(most)
  if (!isForced && underWay > wakesAt) return { kind: 'queued', deliveries: 0, wakesAt }
  const free = Math.max(0, most - underWay)
  // A direct attempt costs Temporal nothing.
  const isPaced = free > 0 && !state.isParked && config.deliveryFirstAttempt !== 'direct'
  if (isPaced) await pace.turn()
  const room = isPaced ? 1 : free
  const { take, isLast } = await readPage(deps, state, room, isStopping)
  const page = { recoveryId, webhookId: recovery.webhookId, cursor, isLast, take, mostUnderWay: most }
  const result = await queueRecoveryPage(db, page)
  if (result.kind === 'over' && result.end) tellEnd(deps, recovery, result.end)
  if (result.kind !== 'queued') return result
  if (result.deliveries > 0) tellQueued(deps, recovery, result.deliveries)
  // Once the last deliveries are queued, the recovery only waits until all of them have ended.
  return { ...result, wakesAt: isLast ? 0 : wakesAt }
}

function tellQueued({ doorbell, metrics }: Deps, { kind }: Recovery, deliveries: number): void {
  doorbell.ring()
  metrics.recoveredDeliveries.inc({ recovers: kind }, deliveries)
}

function tellEnd({ log, metrics }: Deps, { id, webhookId }: Recovery, end: RecoveryEnd): void {
  log.info({ recovery_id: id, webhook_id: webhookId, ...end }, 'recovery ended')
  metrics.countRecoveryEnd(end.state === 'done' ? null : end.reason)
}

async function readProgress({ db }: SystemDeps, recoveryId: string): Promise<RecoverReport['progress']> {
  const state = await readRecovery(db, recoveryId)
  if (!state) {
    return { status: 'cancelled', stoppedReason: 'webhook_deleted', total: null, queued: 0, waitsFor: null }
  }
  const { state: status, stoppedReason, total, queued, waitsFor } = state.recovery
  return { status, stoppedReason, total, queued, waitsFor }
}
