import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client'
import { readRecovery, type RecoveryWork } from '../db/recovery/rows.ts'
import { isOpenRecovery } from '../domain/recovery/recovery.ts'
import {
  recoveryWorkflowId,
  SIGNALS,
  TASK_QUEUE,
  WORKFLOW_TYPES,
  type RecoverWebhookInput,
  type SearchAttribute,
} from '../workflows/contract.ts'
import { cancelWorkflow, type RelayContext } from './context.ts'
import { keyword } from './workflow-options.ts'

/**
 * Starts or wakes the workflow of a running recovery, and cancels that of one that is over. It reads the recovery again
 * after a start: if it ended meanwhile, the worker that carried out the end found no workflow to cancel. The run of a recovery
 * that is queued again ends by itself; a cancellation could hit the run of its next turn.
 */
export async function setRecovery(context: RelayContext, id: string): Promise<void> {
  const isOver = (state: RecoveryWork | undefined) => !state || !isOpenRecovery(state.recovery)
  const state = await readRecovery(context.deps.db, id)
  if (state?.recovery.state === 'running') await wakeRecovery(context, state)
  if (isOver(state) || isOver(await readRecovery(context.deps.db, id)))
    await cancelWorkflow(context, recoveryWorkflowId(id))
}

async function wakeRecovery(
  { deps, callTemporal, searchAttributes }: RelayContext,
  { tenant, recovery }: RecoveryWork,
): Promise<void> {
  const { id, webhookId, total, queued } = recovery
  const progress = { status: 'running', stoppedReason: null, total, queued, waitsFor: null } as const
  const input: RecoverWebhookInput = { recoveryId: id, progress }
  const values: Partial<Record<SearchAttribute, string>> = {
    WebhookId: webhookId,
    CompanyId: tenant.companyId,
    Environment: tenant.environment,
  }
  await callTemporal(() =>
    deps.temporal.workflow.signalWithStart(WORKFLOW_TYPES.recoverWebhook, {
      signal: SIGNALS.resume,
      taskQueue: TASK_QUEUE,
      workflowId: recoveryWorkflowId(id),
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      args: [input],
      typedSearchAttributes: searchAttributes().flatMap((name) => {
        const value = values[name]
        return value === undefined ? [] : [keyword(name, value)]
      }),
      staticSummary: `${recovery.kind} deliveries of ${webhookId}`,
      staticDetails: [
        `- Company: \`${tenant.companyId}\` (${tenant.environment})`,
        `- Webhook: \`${webhookId}\``,
        `- Window: ${recovery.since.toISOString()} to ${recovery.until.toISOString()}`,
        `- API: \`/api-v1-webhooks/${webhookId}/recoveries/${id}\``,
      ].join('\n'),
    }),
  )
}
