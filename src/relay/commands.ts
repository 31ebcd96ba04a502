import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client'
import { readKeyExpiry } from '../db/key/expiry.ts'
import type { ClaimedRow } from '../db/outbox/claims.ts'
import type { GateRows } from '../db/delivery/gate-rows.ts'
import {
  keyRotationWorkflowId,
  SIGNALS,
  TASK_QUEUE,
  WORKFLOW_TYPES,
  type ExpireApiKeyInput,
} from '../workflows/contract.ts'
import { cancelWorkflow, type RelayContext } from './context.ts'
import {
  goOnInWorkflow,
  isTestOnItsWay,
  signalDelivery,
  startDelivery,
  wakeQueued,
} from './delivery-commands.ts'
import { setRecovery } from './recovery-commands.ts'
import { cancelWebhook, resumeWebhooksOf, resumeWebhook } from './webhook-commands.ts'
import { again, DONE, type Verdict } from './settle.ts'

/** How often a command that waits for the end of an attempt looks again. */
const WAIT_MS = 200

/**
 * Carries out one claimed row, and leaves the row itself to `settleRow`. Throws when Temporal or the database refuses.
 *
 * @param rows the delivery's rows; undefined when the command is about no delivery, or its delivery is gone
 */
export async function carryOut(
  context: RelayContext,
  row: ClaimedRow,
  rows: GateRows | undefined,
): Promise<Verdict> {
  switch (row.kind) {
    case 'start':
      return startDelivery(context, row, rows)
    case 'due':
      return wakeQueued(context, row, rows)
    case 'handover':
      await goOnInWorkflow(context, rows)
      return DONE
    case 'wake':
      if (rows?.isDirectOnItsWay) return again(WAIT_MS)
      await signalDelivery(context, rows, SIGNALS.resume, [])
      return DONE
    case 'retry':
      if (rows && (rows.isDirectOnItsWay || isTestOnItsWay(context.deps, rows))) return again(WAIT_MS)
      await signalDelivery(context, rows, SIGNALS.retryNow, [{ retrySeq: row.argument ?? 0 }])
      return DONE
    case 'cancel-webhook':
      return cancelWebhook(context, row)
    case 'resume-webhook':
      return resumeWebhook(context, row)
    case 'recover':
      await setRecovery(context, row.targetId)
      return DONE
    case 'resume-company':
      return resumeWebhooksOf(context, row)
    case 'expire-key':
      await setKeyTimer(context, row.targetId)
      return DONE
  }
}

/**
 * Starts the timer of a rotated key, or ends that of a revoked one. It reads the key again after a start. If the key was
 * revoked meanwhile, the worker that carried out the revocation found no timer to end.
 */
async function setKeyTimer(context: RelayContext, keyId: string): Promise<void> {
  const expiresAt = await readKeyExpiry(context.deps.db, keyId)
  if (expiresAt) await startKeyTimer(context, keyId, expiresAt)
  if (!expiresAt || !(await readKeyExpiry(context.deps.db, keyId))) await endKeyTimer(context, keyId)
}

async function startKeyTimer(
  { deps, callTemporal }: RelayContext,
  keyId: string,
  expiresAt: Date,
): Promise<void> {
  const input: ExpireApiKeyInput = { keyId, expiresAt: expiresAt.toISOString() }
  await callTemporal(() =>
    deps.temporal.workflow.start(WORKFLOW_TYPES.expireApiKey, {
      taskQueue: TASK_QUEUE,
      workflowId: keyRotationWorkflowId(keyId),
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      args: [input],
      staticSummary: `${keyId} expires at ${input.expiresAt}`,
    }),
  )
}

async function endKeyTimer(context: RelayContext, keyId: string): Promise<void> {
  await cancelWorkflow(context, keyRotationWorkflowId(keyId))
}
