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
import type { Walks } from './webhook-commands.ts'
import type { SystemDb } from '../db/connection/connection.ts'
import type { ClaimedRow } from '../db/outbox/claims.ts'
import { deleteCommand, deleteStarts, putBackRow, releaseRow } from '../db/outbox/rows.ts'

/** What carrying out a command needs. */
export type RelayContext = {
  readonly deps: SystemDeps
  readonly slots: Slots
  /** Gets each start, from which recoveries learn how busy Temporal is. */
  readonly pace: Pick<TemporalPace, 'started'>
  /** Knows whether room is left for first attempts within the tasks of their workflows. */
  readonly local: Pick<LocalAttempts, 'isFull'>
  readonly walks: Walks
  /** The walks of resumed companies. */
  readonly companyWalks: Walks<WebhookPosition>
  /** Makes a call to Temporal, with a deadline. Every call comes here. @throws TemporalSlowError while Temporal is slow */
  readonly callTemporal: <T>(call: () => Promise<T>) => Promise<T>
  /** The search attributes that Temporal knows. */
  readonly searchAttributes: () => readonly SearchAttribute[]
  /** Whether the worker was told to stop: long work ends at its next step. */
  readonly isStopping: () => boolean
}

/** Options of every start. The row, not Temporal's history, decides whether a closed workflow may be started anew. */
export const START = {
  taskQueue: TASK_QUEUE,
  workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
} as const

/** The values as search attributes, without those that Temporal does not know. */
export const attributesOf = (
  { searchAttributes }: RelayContext,
  values: Partial<Record<SearchAttribute, string>>,
): SearchAttributePair[] =>
  searchAttributes().flatMap((name) => {
    const value = values[name]
    return value === undefined ? [] : [{ key: defineSearchAttributeKey(name, 'KEYWORD'), value }]
  })

/** Makes a call about a workflow that may have ended, or was never started. @returns whether there was a workflow */
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

/** Asks a workflow to end as Canceled. @returns whether there was a workflow */
export const cancelWorkflow = (context: RelayContext, workflowId: string): Promise<boolean> =>
  callWorkflow(context, workflowId, (workflow) => workflow.cancel())

/** What becomes of a claimed row. The handler of a row decides, and `settleRow` alone carries it out. */
export type Verdict =
  /** Its work is done: the row goes, unless it was queued again meanwhile. */
  | { readonly kind: 'done' }
  /** Its delivery needs no start any more: remove the start row, even under another worker's lease. */
  | { readonly kind: 'unneeded' }
  /** The row stays as it is: the transaction that records or parks the delivery removes it. */
  | { readonly kind: 'left' }
  /** Its work is not finished: the row comes again after the pause. The claim does not count as a try. */
  | { readonly kind: 'again'; readonly pauseMs: number }
  /** Its work failed: the row comes again after the pause, with one try more. */
  | { readonly kind: 'failed'; readonly pauseMs: number }

export const DONE: Verdict = { kind: 'done' }
export const UNNEEDED: Verdict = { kind: 'unneeded' }
export const LEFT: Verdict = { kind: 'left' }

/** @param pauseMs 0: it may be claimed at once, after rows that waited before */
export const again = (pauseMs = 0): Verdict => ({ kind: 'again', pauseMs })

/**
 * Carries out a verdict. A row that has another owner by now, or was queued again, stays as it is, unless it is unneeded.
 * Throws what the database throws.
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
