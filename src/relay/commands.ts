import { readKeyExpiry } from '../db/key/expiry.ts'
import type { Claim } from '../db/outbox/claims.ts'
import { readRecovery, type RecoveryWork } from '../db/recovery/rows.ts'
import { isOpenRecovery } from '../domain/recovery/recovery.ts'
import {
  keyRotationWorkflowId,
  recoveryWorkflowId,
  SIGNALS,
  WORKFLOW_TYPES,
  type ExpireApiKeyInput,
  type RecoverWebhookInput,
} from '../workflows/contract.ts'
import {
  attributesOf,
  cancelWorkflow,
  START,
  type RelayContext,
  again,
  DONE,
  type Verdict,
} from './context.ts'
import {
  goOnInWorkflow,
  isTestOnItsWay,
  signalDelivery,
  startDelivery,
  wakeQueued,
} from './delivery-commands.ts'
import { cancelWebhook, resumeWebhooksOf, resumeWebhook } from './webhook-commands.ts'

/** How often a command checks whether the attempt that it waits for is over. */
const WAIT_MS = 200

/**
 * Carries out the command of a claimed row. Only `settleRow` changes the row. Throws errors of Temporal and the
 * database.
 */
export async function carryOut(context: RelayContext, claim: Claim): Promise<Verdict> {
  const { row, delivery: rows } = claim
  switch (row.kind) {
    case 'start':
      return startDelivery(context, claim)
    case 'due':
      return wakeQueued(context, claim)
    case 'handover':
      await goOnInWorkflow(context, rows)
      return DONE
    case 'wake':
      if (rows?.isDirectOnItsWay) return again(WAIT_MS)
      await signalDelivery(context, rows, SIGNALS.resume)
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
 * Starts the timer of a rotated key, or ends the timer of a revoked key. It reads the key again after a start. If the
 * key was revoked in the meantime, the worker that carried out the revocation may have found no timer to end.
 */
async function setKeyTimer(context: RelayContext, keyId: string): Promise<void> {
  const expiresAt = await readKeyExpiry(context.deps.db, keyId)
  if (expiresAt) await startKeyTimer(context, keyId, expiresAt)
  if (!expiresAt || !(await readKeyExpiry(context.deps.db, keyId)))
    await cancelWorkflow(context, keyRotationWorkflowId(keyId))
}

async function startKeyTimer(context: RelayContext, keyId: string, expiresAt: Date): Promise<void> {
  const { deps, callTemporal } = context
  const input: ExpireApiKeyInput = { keyId, expiresAt: expiresAt.toISOString() }
  await callTemporal(() =>
    deps.temporal.workflow.start(WORKFLOW_TYPES.expireApiKey, {
      ...START,
      workflowId: keyRotationWorkflowId(keyId),
      args: [input],
      staticSummary: `${keyId} expires at ${input.expiresAt}`,
    }),
  )
}

/**
 * Starts or wakes the workflow of a running recovery, and cancels the workflow of an ended one. It reads the recovery
 * again after a start. If the recovery ended in the meantime, the worker that carried out the end may have found no
 * workflow to cancel. A recovery that waits for its turn again is not cancelled. Its run ends by itself, and a
 * cancellation could hit the run of its next turn.
 */
export async function setRecovery(context: RelayContext, id: string): Promise<void> {
  const isOver = (state: RecoveryWork | undefined) => !state || !isOpenRecovery(state.recovery)
  const state = await readRecovery(context.deps.db, id)
  if (state?.recovery.state === 'running') await wakeRecovery(context, state)
  if (isOver(state) || isOver(await readRecovery(context.deps.db, id)))
    await cancelWorkflow(context, recoveryWorkflowId(id))
}

async function wakeRecovery(context: RelayContext, { tenant, recovery }: RecoveryWork): Promise<void> {
  const { deps, callTemporal } = context
  const { id, webhookId, total, queued } = recovery
  const progress = { status: 'running', stoppedReason: null, total, queued, waitsFor: null } as const
  const input: RecoverWebhookInput = { recoveryId: id, progress }
  await callTemporal(() =>
    deps.temporal.workflow.signalWithStart(WORKFLOW_TYPES.recoverWebhook, {
      signal: SIGNALS.resume,
      ...START,
      workflowId: recoveryWorkflowId(id),
      args: [input],
      typedSearchAttributes: attributesOf(context, {
        WebhookId: webhookId,
        CompanyId: tenant.companyId,
        Environment: tenant.environment,
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
