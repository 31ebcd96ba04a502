import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy, WorkflowNotFoundError } from '@temporalio/client'
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common'
import { deleteCommand, deleteStarts, releaseRow, renewRow, type ClaimedRow } from '../db/system/claims.js'
import type { GateRows } from '../db/system/gate-rows.js'
import { closeDeliveries, listOpenDeliveryIds, unparkDeliveries } from '../db/system/open-deliveries.js'
import { readKeyExpiry } from '../db/system/api-keys.js'
import type { Deps } from '../deps.js'
import { isOpen, isTest } from '../domain/deliveries.js'
import { viewDelivery } from '../domain/delivery-view.js'
import {
  attemptTimes,
  keyRotationWorkflowId,
  SIGNALS,
  TASK_QUEUE,
  testLimitMs,
  WORKFLOW_TYPES,
  type DeliverWebhookInput,
  type ExpireApiKeyInput,
  type SearchAttribute,
} from '../workflows/contract.js'

/** Deliveries handled per page of a command that goes over a whole webhook. */
const PAGE = 500
const CANCELS_AT_ONCE = 20
/** How often a retry of a test event looks whether the test is over. */
const TEST_POLL_MS = 200

export type CommandContext = {
  readonly deps: Deps
  readonly owner: string
  readonly leaseMs: number
  /** Every RPC has a deadline. */
  readonly withDeadline: <T>(call: () => Promise<T>) => Promise<T>
}

/**
 * Carries out one claimed row. Throws when Temporal or the database refuses; the row is then released.
 *
 * @param rows the delivery's rows, where the subject is a delivery that is still there
 */
export async function carryOut(
  context: CommandContext,
  row: ClaimedRow,
  rows: GateRows | undefined,
): Promise<void> {
  const { deps, owner } = context
  switch (row.kind) {
    case 'start':
      return startDelivery(context, row, rows)
    case 'wake':
      await signalDelivery(context, rows, SIGNALS.resume, [])
      return deleteCommand(deps.db, row, owner)
    case 'retry':
      if (rows && isTestOnItsWay(deps, rows)) return releaseRow(deps.db, row, owner, TEST_POLL_MS)
      await signalDelivery(context, rows, SIGNALS.retryNow, [{ retrySeq: row.argument ?? 0 }])
      return deleteCommand(deps.db, row, owner)
    case 'cancel-webhook':
      return cancelWebhook(context, row)
    case 'resume-webhook':
      return resumeWebhook(context, row)
    case 'expire-key':
      await startKeyExpiry(context, row.subjectId)
      return deleteCommand(deps.db, row, owner)
  }
}

/**
 * Starts the workflow of a delivery, eagerly when this worker has room. The row stays: the transaction that records
 * the first attempt removes it, so a start whose workflow was lost is simply made again.
 */
async function startDelivery(
  context: CommandContext,
  row: ClaimedRow,
  rows: GateRows | undefined,
): Promise<void> {
  const { deps, withDeadline } = context
  const options = rows && workflowOptions(deps, rows)
  if (!options) return deleteStarts(deps.db, [row.subjectId])
  await withDeadline(() =>
    deps.temporal.workflow.start(WORKFLOW_TYPES.deliverWebhook, { ...options, requestEagerStart: true }),
  )
}

/** A test's own workflow makes its first attempt; a retry waits for that one's end, so that two never run at once. */
function isTestOnItsWay({ config }: Deps, { delivery, now }: GateRows): boolean {
  const ageMs = now.getTime() - delivery.createdAt.getTime()
  return isTest(delivery) && isOpen(delivery) && delivery.attempts === 0 && ageMs < testLimitMs(config)
}

async function signalDelivery(
  { deps, withDeadline }: CommandContext,
  rows: GateRows | undefined,
  signal: string,
  signalArgs: unknown[],
): Promise<void> {
  const options = rows && workflowOptions(deps, rows)
  if (!options) return
  await withDeadline(() =>
    deps.temporal.workflow.signalWithStart(WORKFLOW_TYPES.deliverWebhook, { ...options, signal, signalArgs }),
  )
}

/** Options and input for the workflow of an open delivery; undefined for a closed one, which needs none. */
function workflowOptions({ config }: Deps, { delivery, webhook, tenant, now }: GateRows) {
  const view = viewDelivery(delivery, webhook, now)
  if (view.state === 'closed') return undefined
  const input: DeliverWebhookInput = {
    deliveryId: delivery.id,
    view,
    ...attemptTimes(config),
  }
  return {
    taskQueue: TASK_QUEUE,
    workflowId: delivery.id,
    // The row, not Temporal's retention, forbids a second delivery: what was closed there may be started again.
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    args: [input],
    typedSearchAttributes: [
      keyword('WebhookId', webhook.id),
      keyword('CompanyId', tenant.companyId),
      keyword('EventType', delivery.eventType),
    ],
    staticSummary: `${delivery.eventType} to ${webhook.id}`,
  }
}

const keyword = (name: SearchAttribute, value: string): SearchAttributePair => ({
  key: defineSearchAttributeKey(name, 'KEYWORD'),
  value,
})

/** Cancels the workflows of a deleted webhook's open deliveries and closes their rows, page by page. */
async function cancelWebhook(context: CommandContext, row: ClaimedRow): Promise<void> {
  const { deps, owner, leaseMs } = context
  for (;;) {
    const ids = await listOpenDeliveryIds(deps.db, row.subjectId, PAGE)
    if (ids.length === 0) break
    for (let from = 0; from < ids.length; from += CANCELS_AT_ONCE) {
      await Promise.all(ids.slice(from, from + CANCELS_AT_ONCE).map((id) => cancelWorkflow(context, id)))
    }
    await closeDeliveries(deps.db, ids, 'webhook_deleted')
    if (!(await renewRow(deps.db, row, owner, leaseMs))) return
  }
  await deleteCommand(deps.db, row, owner)
}

async function cancelWorkflow({ deps, withDeadline }: CommandContext, deliveryId: string): Promise<void> {
  try {
    await withDeadline(() => deps.temporal.workflow.getHandle(deliveryId).cancel())
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
  }
}

/** Takes the parked deliveries of an activated webhook out of the park, page by page. */
async function resumeWebhook({ deps, owner, leaseMs }: CommandContext, row: ClaimedRow): Promise<void> {
  while ((await unparkDeliveries(deps.db, row.subjectId, row.companyId, PAGE)) > 0) {
    if (!(await renewRow(deps.db, row, owner, leaseMs))) return
  }
  await deleteCommand(deps.db, row, owner)
}

async function startKeyExpiry({ deps, withDeadline }: CommandContext, keyId: string): Promise<void> {
  const expiresAt = await readKeyExpiry(deps.db, keyId)
  if (!expiresAt) return
  const input: ExpireApiKeyInput = { keyId, expiresAt: expiresAt.toISOString() }
  await withDeadline(() =>
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
