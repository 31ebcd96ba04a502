import { setTimeout as delay } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import type { RecoveryEnd } from '../db/recovery/recoveries.ts'
import { listUnderWay, readRecovery } from '../db/system/recovery-candidates.ts'
import { queueRecoveryPage, type PageResult } from '../db/system/recovery-pages.ts'
import { mostUnderWay, type Recovery } from '../domain/recovery/recovery.ts'
import type { Deps } from '../process/deps.ts'
import { readPage } from './recovery-page.ts'
import { ownFault, type RecoverInput, type RecoverReport } from '../workflows/contract.ts'

/** Longest time of one activity. It is short, so that a worker that stops need not wait for it. */
const ROUND_MS = 3_000
/** Pauses between two looks at what is under way: after a page, and the longest while nothing changes. */
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 200
/** A page waits until this share of the room is free, so that it has some rows. The rest keeps all slots busy meanwhile. */
const FREE_SHARE = 0.25

/** What a round needs of its activity. */
type Round = { readonly beat: () => void; readonly isStopping: () => boolean }

/**
 * Makes the activity that does one round of a recovery: it queues page after page, as attempts make room for them. All that
 * it knows is in the database, so that another worker may do the next round, or this one again.
 */
export function createRecovery(deps: Deps) {
  const { log } = deps
  return async ({ recoveryId }: RecoverInput): Promise<RecoverReport> => {
    const context = Context.current()
    try {
      return await runRound(deps, recoveryId, {
        beat: () => context.heartbeat(),
        isStopping: () => context.cancellationSignal.aborted,
      })
    } catch (error) {
      log.warn({ err: error, recovery_id: recoveryId }, 'a recovery could not go on; it is tried again')
      throw ownFault()
    }
  }
}

async function runRound(deps: Deps, recoveryId: string, round: Round): Promise<RecoverReport> {
  const untilMs = performance.now() + ROUND_MS
  let pages = 0
  let pauseMs = FIRST_PAUSE_MS
  let result = await doPage(deps, recoveryId, { isFirst: true })
  for (;;) {
    round.beat()
    const isQueued = result?.kind === 'queued' && result.deliveries > 0
    if (isQueued) pages += 1
    const isEnd = result?.kind === 'over' || result?.kind === 'waits'
    if (isEnd || round.isStopping() || performance.now() >= untilMs) break
    pauseMs = isQueued ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    await delay(pauseMs)
    result = await doPage(deps, recoveryId, { isFirst: false })
  }
  return { progress: await readProgress(deps, recoveryId), pages }
}

/**
 * Queues the next page, if enough of those before are over.
 *
 * @returns undefined when it is too early for one
 */
async function doPage(
  deps: Deps,
  recoveryId: string,
  { isFirst }: { readonly isFirst: boolean },
): Promise<PageResult | undefined> {
  const { db, config } = deps
  const state = await readRecovery(db, recoveryId)
  if (state?.recovery.state !== 'running') return { kind: 'over' }
  const { recovery, cursor } = state
  const underWay = (await listUnderWay(db, recoveryId)).filter(({ outcome }) => outcome === undefined).length
  const most = mostUnderWay(config.webhookConcurrency)
  const room = Math.max(0, most - underWay)
  if (!isFirst && underWay > 0 && room < most * FREE_SHARE) return undefined
  const { take, isLast } = await readPage(deps, state, room)
  const page = { recoveryId, webhookId: recovery.webhookId, cursor, isLast, take, mostUnderWay: most }
  const result = await queueRecoveryPage(db, page)
  if (result.kind === 'queued' && result.deliveries > 0) tellQueued(deps, recovery, result.deliveries)
  if (result.kind === 'over' && result.end) tellEnd(deps, recovery, result.end)
  return result
}

function tellQueued({ doorbell, metrics }: Deps, { kind }: Recovery, deliveries: number): void {
  doorbell.ring()
  metrics.recoveredDeliveries.inc({ recovers: kind }, deliveries)
}

function tellEnd({ log, metrics }: Deps, { id, webhookId }: Recovery, end: RecoveryEnd): void {
  log.info({ recovery_id: id, webhook_id: webhookId, ...end }, 'recovery ended')
  metrics.countRecoveryEnd(end.state === 'done' ? null : end.reason)
}

async function readProgress({ db }: Deps, recoveryId: string): Promise<RecoverReport['progress']> {
  const state = await readRecovery(db, recoveryId)
  if (!state) {
    return { status: 'cancelled', stoppedReason: 'webhook_deleted', total: null, queued: 0, isWaiting: false }
  }
  const { recovery, isHeld } = state
  return {
    status: recovery.state,
    stoppedReason: recovery.stoppedReason,
    total: recovery.total,
    queued: recovery.queued,
    isWaiting: recovery.state === 'running' && isHeld,
  }
}
