import { WorkflowNotFoundError } from '@temporalio/client'
import type { SystemDeps } from '../deps/deps.ts'
import type { LocalAttempts } from '../attempts/local-attempts.ts'
import type { TemporalPace } from '../attempts/temporal-pace.ts'
import type { SearchAttribute } from '../workflows/contract.ts'
import type { WebhookPosition } from '../db/webhook/company-resumption.ts'
import type { RelaySlots } from './claim.ts'
import type { Walks } from './walks.ts'

/** What carrying out a command needs. */
export type RelayContext = {
  readonly deps: SystemDeps
  readonly slots: RelaySlots
  /** Told of each start, from which recoveries learn how busy Temporal is. */
  readonly pace: Pick<TemporalPace, 'started'>
  /** Whether a first attempt may be made within the task of its workflow. */
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

/**
 * Asks a workflow to end as Canceled. One that has ended, or was never started, needs nothing.
 *
 * @returns whether there was a workflow
 */
export async function cancelWorkflow(
  { deps, callTemporal }: RelayContext,
  workflowId: string,
): Promise<boolean> {
  try {
    await callTemporal(() => deps.temporal.workflow.getHandle(workflowId).cancel())
    return true
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
    return false
  }
}
