import { WorkflowNotFoundError } from '@temporalio/client'
import { databaseNow } from '../db/clock.ts'
import { readSegments } from '../db/recovery/window.ts'
import {
  listFailed,
  takeFailed,
  type Candidate,
  type CheckedCandidate,
} from '../db/recovery/failed-deliveries.ts'
import type { Take } from '../db/recovery/pages.ts'
import type { RecoveryWork } from '../db/recovery/rows.ts'
import { listMissed } from '../db/recovery/missed-events.ts'
import { takeMissed } from '../db/recovery/taking-missed.ts'
import { findFilter } from '../db/webhook/webhooks.ts'
import type { Deps, SystemDeps } from '../deps/deps.ts'

const CALL_DEADLINE_MS = 5_000
/**
 * A page has at most this many deliveries. One statement writes them with their bodies of up to 16 KiB, and must fit
 * into a packet of 16 MiB.
 */
const MOST_AT_ONCE = 200

/** A page that was read. `isLast`: the page reaches the end of the window. */
type ReadPage = { readonly take: Take; readonly isLast: boolean }

const NOTHING: Take = takeFailed([])

/**
 * Reads the next page of a recovery, with at most `free` deliveries. Reads nothing while the recovery is parked. Once
 * `isStopping` returns true, it checks no more events against the filter.
 */
export async function readPage(
  deps: SystemDeps,
  state: RecoveryWork,
  free: number,
  isStopping: () => boolean,
): Promise<ReadPage> {
  const room = Math.min(free, MOST_AT_ONCE)
  if (state.isParked || room === 0) return { take: NOTHING, isLast: false }
  return state.recovery.kind === 'failed'
    ? readFailedPage(deps, state, room)
    : readMissedPage(deps, state, room, isStopping)
}

async function readFailedPage(
  deps: SystemDeps,
  { recovery, cursor }: RecoveryWork,
  room: number,
): Promise<ReadPage> {
  const found = await listFailed(deps.db, recovery, cursor, room)
  return { take: takeFailed(await checkRuns(deps, found)), isLast: found.length < room }
}

async function readMissedPage(
  { db, filters, clock, config: { retentionDays } }: SystemDeps,
  { tenant, recovery, cursor }: RecoveryWork,
  room: number,
  isStopping: () => boolean,
): Promise<ReadPage> {
  const window = { ...recovery, since: cursor?.at ?? recovery.since }
  const segments = await readSegments(db, tenant, window, { retentionDays, now: await databaseNow(db) })
  const json = await findFilter(db, tenant, recovery.webhookId)
  const filter = json === null ? null : filters.get(tenant.companyId, json)
  const page = await listMissed(db, tenant, segments, { cursor, limit: room, filter, isStopping, clock })
  return page ? { take: takeMissed(page), isLast: page.isLast } : { take: NOTHING, isLast: true }
}

/**
 * Asks Temporal for each candidate whether its run has ended. A candidate with a command in the outbox counts as
 * running, because the relay may start a run at any moment. takeFailed locks the candidate's row, and trusts the answer
 * only if the row is unchanged.
 */
const checkRuns = ({ temporal }: Deps, candidates: readonly Candidate[]): Promise<CheckedCandidate[]> =>
  Promise.all(
    candidates.map(async (candidate) => {
      const { id, isInTemporal, isQueued } = candidate
      return { ...candidate, hasNoRun: !isQueued && (!isInTemporal || (await isRunOver(temporal, id))) }
    }),
  )

async function isRunOver(temporal: Deps['temporal'], workflowId: string): Promise<boolean> {
  try {
    const { status } = await temporal.withDeadline(Date.now() + CALL_DEADLINE_MS, () =>
      temporal.workflow.getHandle(workflowId).describe(),
    )
    return status.name !== 'RUNNING'
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true
    throw error
  }
}
