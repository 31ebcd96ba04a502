import { WorkflowNotFoundError } from '@temporalio/client'
import type { CommandContext } from './context.js'

/** Asks a workflow to end as Canceled. One that has ended, or was never started, needs nothing. */
export async function cancelWorkflow(
  { deps, callTemporal }: CommandContext,
  workflowId: string,
): Promise<void> {
  try {
    await callTemporal(() => deps.temporal.workflow.getHandle(workflowId).cancel())
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
  }
}
