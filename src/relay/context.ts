import {
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  type WorkflowHandle,
} from '@temporalio/client'
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common'
import type { SystemDeps } from '../deps/deps.ts'
import type { LocalAttempts, TemporalPace } from '../attempts/temporal-load.ts'
import { TASK_QUEUE, type SearchAttribute } from '../workflows/contract.ts'
import type { WebhookPosition } from '../db/webhook/company-resumption.ts'
import type { Slots } from '../attempts/slots.ts'
import type { WalkPosition } from '../db/delivery/parked-deliveries.ts'
import { setLatest } from '../domain/buffers.ts'
import type { SystemDb } from '../db/connection/connection.ts'
import { deleteCommand, deleteStarts, putBackRow, releaseRow, type ClaimedRow } from '../db/outbox/outbox.ts'

/** The parts that the handlers of commands need. */
export type RelayContext = {
  readonly deps: SystemDeps
  readonly slots: Slots
  /** Learns of each start, so that recoveries know how busy Temporal is. */
  readonly pace: Pick<TemporalPace, 'started'>
  /** Knows whether room is left for first attempts within the tasks of their workflows. */
  readonly local: Pick<LocalAttempts, 'isFull'>
  readonly walks: Walks
  /** The walks of resumed companies. */
  readonly companyWalks: Walks<WebhookPosition>
  /** Makes a call to Temporal, with a deadline. Use it for every call. @throws TemporalSlowError while Temporal is slow */
  readonly callTemporal: <T>(call: () => Promise<T>) => Promise<T>
  /** The search attributes that Temporal knows. */
  readonly searchAttributes: () => readonly SearchAttribute[]
  /** Whether the worker has to stop. Long work then ends at its next step. */
  readonly isStopping: () => boolean
}

/** The options of every start. The row decides whether a closed workflow may be started again, so Temporal must allow it. */
export const START = {
  taskQueue: TASK_QUEUE,
  workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
} as const

/** Returns the values as search attributes. Leaves out the attributes that Temporal does not know. */
export const attributesOf = (
  { searchAttributes }: RelayContext,
  values: Partial<Record<SearchAttribute, string>>,
): SearchAttributePair[] =>
  searchAttributes().flatMap((name) => {
    const value = values[name]
    return value === undefined ? [] : [{ key: defineSearchAttributeKey(name, 'KEYWORD'), value }]
  })

/** Makes a call about a workflow that may have ended or was never started. @returns whether the workflow was running */
export async function callWorkflow(
  { deps, callTemporal }: RelayContext,
  workflowId: string,
  call: (workflow: WorkflowHandle) => Promise<unknown>,
): Promise<boolean> {
  try {
    await callTemporal(() => call(deps.temporal.workflow.getHandle(workflowId)))
    return true
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
    return false
  }
}

/** Asks a workflow to end as Canceled. @returns whether the workflow was running */
export const cancelWorkflow = (context: RelayContext, workflowId: string): Promise<boolean> =>
  callWorkflow(context, workflowId, (workflow) => workflow.cancel())

/** What happens to a claimed row. The handler of a row decides, and only `settleRow` carries the verdict out. */
export type Verdict =
  /** The work is done. The row is deleted unless it was queued again in the meantime. */
  | { readonly kind: 'done' }
  /** The delivery no longer needs a start. The start row is deleted, even under another worker's lease. */
  | { readonly kind: 'unneeded' }
  /** The row stays as it is: the transaction that records or parks the delivery removes it. */
  | { readonly kind: 'left' }
  /** The work is not finished. The row may be claimed again after the pause. This claim does not count as a try. */
  | { readonly kind: 'again'; readonly pauseMs: number }
  /** The work failed. The row may be claimed again after the pause. This claim counts as a try. */
  | { readonly kind: 'failed'; readonly pauseMs: number }

export const DONE: Verdict = { kind: 'done' }
export const UNNEEDED: Verdict = { kind: 'unneeded' }
export const LEFT: Verdict = { kind: 'left' }

/** @param pauseMs 0: the row may be claimed at once, after the rows that already wait */
export const again = (pauseMs = 0): Verdict => ({ kind: 'again', pauseMs })

/**
 * Carries out a verdict. If the row has another owner by now, or was queued again, only the verdict `unneeded` changes
 * it. Throws the errors of the database.
 */
export async function settleRow(
  db: SystemDb,
  row: ClaimedRow,
  owner: string,
  verdict: Verdict,
): Promise<void> {
  switch (verdict.kind) {
    case 'done':
      return deleteCommand(db, row, owner)
    case 'unneeded':
      return deleteStarts(db, [row.targetId])
    case 'left':
      return
    case 'again':
      return putBackRow(db, row, owner, verdict.pauseMs)
    case 'failed':
      return releaseRow(db, row, owner, verdict.pauseMs)
  }
}

/** Pause before the next page when other transactions lock all remaining deliveries. */
export const LOCKED_PAUSE_MS = 1_000

/** A command's walk over the deliveries of a webhook, or over the webhooks of a company, one page per claim. */
type Walk<Position> = {
  /** Where the next page begins; undefined: at the beginning. */
  readonly position: Position | undefined
  /** Whether an earlier page left out deliveries that another transaction locked. */
  readonly hasLocked: boolean
}

/** At most this many walks are remembered. A forgotten walk begins again, which costs only time. */
const REMEMBERED_WALKS = 1_000
const BEGINNING: Walk<never> = { position: undefined, hasLocked: false }

/**
 * Remembers how far the walks of this worker have come. A command that was queued again has a higher version. Its walk
 * begins again, because deliveries may have been parked behind its position. If another worker takes a command over,
 * its walk begins again too.
 */
export class Walks<Position = WalkPosition> {
  readonly #walks = new Map<number, { readonly version: number; readonly walk: Walk<Position> }>()

  of({ id, version }: Pick<ClaimedRow, 'id' | 'version'>): Walk<Position> {
    const known = this.#walks.get(id)
    return known?.version === version ? known.walk : BEGINNING
  }

  /**
   * Notes that a page is done, and where the next page begins. A walk that reached the end without leaving a delivery
   * out is done. If the walk left deliveries out, another walk begins after a pause.
   */
  goOn({ id, version }: Pick<ClaimedRow, 'id' | 'version'>, walk: Walk<Position>): Verdict {
    if (walk.position === undefined) {
      this.#walks.delete(id)
      return walk.hasLocked ? again(LOCKED_PAUSE_MS) : DONE
    }
    setLatest(this.#walks, id, { version, walk }, REMEMBERED_WALKS)
    return again()
  }
}
