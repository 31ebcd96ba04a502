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
 * For a window of time, a recovery sends a webhook's failed deliveries or the events that it missed. RECOVERY_STATES
 * (domain/recovery) explains the states of its row and who changes them. giveTurns (db/recovery/turns.ts) lets queued
 * recoveries run. While a recovery runs:
 *
 * - Its workflow (workflows/recover-webhook.ts) calls this activity for each round, and waits between rounds.
 * - A round queues pages. The transaction of a page (db/recovery/pages.ts) counts the deliveries that ended since the
 *   last page. It ends the recovery if the webhook is deleted, or after too many failures in a row or failed probes.
 *   Otherwise it opens failed deliveries again, or makes deliveries of missed events, and moves the cursor past them.
 * - The recovery has at most twice as many deliveries under way as the webhook has slots. While the circuit breaker is
 *   open, only one delivery is under way: the next probe.
 * - When no room becomes free, the round sets `wakes_at`: the number of deliveries under way at which the recovery goes
 *   on. When an attempt is recorded and the number falls to `wakes_at`, the worker that recorded it wakes the workflow
 *   (attempts/recorded-attempts.ts). If the wake-up is lost, the workflow's timer of a minute replaces it.
 *
 * A recovered delivery may have a direct attempt only if its workflow has ended. Three facts prove this together. The
 * outbox has no command about the delivery. Temporal says that its run has ended. Its locked row has not changed since
 * the outbox and Temporal were asked. Otherwise the recovery wakes the workflow. A run that starts later reserves the
 * delivery, or waits for the direct attempt.
 *
 * If a worker crashes, the row with its cursor survives. A repeated page finds that the cursor has moved and queues no
 * delivery twice. A delivery that fails again is not queued again, because the cursor has passed it. The reconciler
 * starts a lost run again, which continues from the cursor.
 */

/** The longest time of one activity. It is short, so that another recovery can run in its place, and a worker can stop soon. */
const ROUND_MS = 3_000
/** Pauses between two counts of the deliveries under way: the first pause after a page, and the longest while nothing changes. */
const PAUSE_MS = { first: 20, longest: 100 }
/**
 * A round ends when no room has become free for this long. A fast endpoint finishes a page within a second. Waiting for
 * it costs less than a new round, which costs Temporal as much as a few deliveries.
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

/** `wakesAt`: the next page has room when at most this many deliveries are under way. */
type LookedAt =
  | Exclude<PageResult, { kind: 'queued' }>
  | { kind: 'queued'; deliveries: number; wakesAt: number }

/** Queues the next page, unless more than `wakesAt` deliveries are under way. With `isForced` it uses any free room. */
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
  // After the last page, the recovery only waits until all its deliveries have ended.
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
