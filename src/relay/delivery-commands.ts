import { findLatestError } from '../db/delivery/attempts.ts'
import { MOST_DIRECT_TRIES, type Claim } from '../db/outbox/claims.ts'
import type { ClaimedRow } from '../db/outbox/outbox.ts'
import { readGateRows, type GateRows } from '../db/delivery/gate-rows.ts'
import { parkDelivery } from '../db/delivery/parked-deliveries.ts'
import type { Deps } from '../deps/deps.ts'
import { isOpen, isTest } from '../domain/delivery/delivery.ts'
import { parkReason } from '../domain/delivery/gate.ts'
import { viewDelivery } from '../domain/delivery/view.ts'
import {
  attemptTimes,
  SIGNALS,
  testLimitMs,
  WORKFLOW_TYPES,
  type DeliverWebhookInput,
} from '../workflows/contract.ts'
import { freeSlotOf, holderOfRow } from './claim.ts'
import {
  attributesOf,
  callWorkflow,
  cancelWorkflow,
  START,
  type RelayContext,
  DONE,
  LEFT,
  UNNEEDED,
  type Verdict,
} from './context.ts'

/**
 * Starts the workflow of a delivery, eagerly when this worker has room. The outbox row stays until the first attempt is
 * recorded. So if the workflow is lost before that, the relay starts it again. A delivery that the gate would
 * park is parked here. It gets its workflow after its webhook is activated or its company is resumed.
 */
export async function startDelivery(context: RelayContext, { row, delivery: rows }: Claim): Promise<Verdict> {
  const { deps, pace, callTemporal } = context
  if (rows && (await parkInstead(context, row, rows))) return LEFT
  const options = rows && isOpen(rows.delivery) && (await workflowOptions(context, rows))
  if (!options) return UNNEEDED
  const isFirstLocal = mayBeginLocally(context, row)
  await callTemporal(() => {
    pace.started(row.targetId)
    return deps.temporal.workflow.start(WORKFLOW_TYPES.deliverWebhook, {
      ...options,
      args: options.args.map((input) => ({ ...input, isFirstLocal })),
      // With an eager start, Temporal gives the first task to this worker even if another version of workers is the
      // current one.
      requestEagerStart: deps.config.workerDeployment === undefined,
    })
  })
  return LEFT
}

/**
 * Whether the first attempt may be a local activity, which keeps the task of its workflow open. The attempt is an
 * ordinary activity in three cases: the endpoint was slow; many other attempts keep their tasks open; or the row has
 * two tries. After two tries operators should see further tries. Temporal shows the tries of an ordinary activity, and
 * waits before each new one. A claim for a direct attempt counts as a try. A start that Temporal refused counts too. A
 * lease that ended does not count.
 */
function mayBeginLocally({ slots, local }: RelayContext, row: ClaimedRow): boolean {
  const holder = holderOfRow(row)
  return row.tries < MOST_DIRECT_TRIES && holder !== undefined && !slots.isSlow(holder) && !local.isFull()
}

/**
 * Wakes a delivery that waited for a free slot. Its workflow waits for the signal, and then makes the attempt in the
 * reserved slot. If the delivery cannot be sent now, the reservation ends.
 */
export async function wakeQueued(context: RelayContext, { row, delivery: rows }: Claim): Promise<Verdict> {
  const { slots } = context
  // The workflow of a parked delivery keeps waiting, now for the activation or resumption.
  if (rows && (await parkInstead(context, row, rows))) return LEFT
  const isOpenStill = rows !== undefined && isOpen(rows.delivery)
  const isSent = isOpenStill && rows.webhook.isActive && !rows.webhook.isSuspended
  if (!isSent) freeSlotOf(row, slots)
  if (isOpenStill) await signalWithStart(context, rows, SIGNALS.resume)
  // The delivery was closed while it waited. After the signal its workflow reads the row and ends.
  else await callWorkflow(context, row.targetId, (workflow) => workflow.signal(SIGNALS.resume))
  return DONE
}

/**
 * Parks a delivery that the gate would park, without a call to Temporal. Parking deletes the outbox row and frees its
 * reserved slot at once.
 *
 * @returns whether it was parked: false if the gate would not park it, or if webhook and company are active again
 */
async function parkInstead(
  { deps, slots }: RelayContext,
  row: ClaimedRow,
  { delivery, webhook }: GateRows,
): Promise<boolean> {
  if (webhook.isDeleted || parkReason(delivery, webhook) === null) return false
  if (!(await parkDelivery(deps.db, delivery.id, webhook.id))) return false
  freeSlotOf(row, slots)
  return true
}

/**
 * Whether the test's own workflow may still make the first attempt. A retry waits for it, so that two attempts never
 * run at once.
 */
export function isTestOnItsWay({ config }: Deps, { delivery, now }: GateRows): boolean {
  const ageMs = now.getTime() - delivery.createdAt.getTime()
  return isTest(delivery) && isOpen(delivery) && delivery.attempts === 0 && ageMs < testLimitMs(config)
}

/** Signals the workflow of an open delivery, and starts the workflow if it is gone. Does nothing for a closed delivery. */
export async function signalDelivery(
  context: RelayContext,
  rows: GateRows | undefined,
  signal: string,
  signalArgs?: unknown[],
): Promise<void> {
  if (rows && isOpen(rows.delivery)) await signalWithStart(context, rows, signal, signalArgs)
}

/** Signals the workflow of a delivery, and starts the workflow if none is running. */
async function signalWithStart(
  context: RelayContext,
  rows: GateRows,
  signal: string,
  signalArgs: unknown[] = [],
): Promise<void> {
  const { deps, callTemporal } = context
  const options = { ...(await workflowOptions(context, rows)), signal, signalArgs }
  await callTemporal(() => deps.temporal.workflow.signalWithStart(WORKFLOW_TYPES.deliverWebhook, options))
}

/** Options and input for the workflow of a delivery. Operators see `staticSummary` and `staticDetails` in the UI. */
async function workflowOptions(context: RelayContext, { delivery, webhook, tenant, now }: GateRows) {
  const { config, db } = context.deps
  const error = await findLatestError(db, tenant, delivery)
  const input: DeliverWebhookInput = {
    deliveryId: delivery.id,
    view: viewDelivery(delivery, webhook, now, { error }),
    ...attemptTimes(config),
  }
  return {
    ...START,
    workflowId: delivery.id,
    args: [input],
    typedSearchAttributes: attributesOf(context, {
      WebhookId: webhook.id,
      CompanyId: tenant.companyId,
      EventType: delivery.eventType,
      EventId: delivery.eventId,
      Environment: tenant.environment,
    }),
    staticSummary: `${delivery.eventType} to ${webhook.id}`,
    // Markdown with the tenant, the ids and the path of the API. It has only ids and no host, because Temporal stores it.
    staticDetails: [
      `- Company: \`${tenant.companyId}\` (${tenant.environment})`,
      `- Webhook: \`${webhook.id}\``,
      `- Event: \`${delivery.eventId}\``,
      `- API: \`/api-v1-webhooks/${webhook.id}/deliveries/${delivery.id}\``,
    ].join('\n'),
  }
}

/**
 * Carries out a `handover` row: starts the workflow that continues after a failed direct attempt. A delivery that
 * failed for good also gets a workflow, which ends as failed, so that operators find it. A delivery that has succeeded
 * in the meantime needs no workflow.
 */
export async function goOnInWorkflow(context: RelayContext, rows: GateRows | undefined): Promise<void> {
  if (!rows || rows.delivery.status === 'success') return
  await signalWithStart(context, rows, SIGNALS.resume)
  if (!isOpen(rows.delivery)) return
  // The run waits for the next attempt. If the webhook was deleted while Temporal started the run, the deletion found
  // no workflow to cancel.
  const latest = await readGateRows(context.deps.db, rows.delivery.id)
  const isClosed = latest === undefined || !isOpen(latest.delivery)
  if (isClosed && latest?.webhook.isDeleted !== false) await cancelWorkflow(context, rows.delivery.id)
}
