import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client'
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common'
import { findLatestError } from '../db/delivery/attempts.ts'
import type { GateRows } from '../db/delivery/gate-rows.ts'
import { viewDelivery } from '../domain/delivery/view.ts'
import {
  attemptTimes,
  TASK_QUEUE,
  type DeliverWebhookInput,
  type SearchAttribute,
} from '../workflows/contract.ts'
import type { RelayContext } from './context.ts'

/** Options and input for the workflow of a delivery. Operators see `staticSummary` and `staticDetails` in the UI. */
export async function workflowOptions(
  { deps: { config, db }, searchAttributes }: RelayContext,
  { delivery, webhook, tenant, now }: GateRows,
) {
  const error = await findLatestError(db, tenant, delivery)
  const input: DeliverWebhookInput = {
    deliveryId: delivery.id,
    view: viewDelivery(delivery, webhook, now, { error }),
    ...attemptTimes(config),
  }
  const values: Record<SearchAttribute, string> = {
    WebhookId: webhook.id,
    CompanyId: tenant.companyId,
    EventType: delivery.eventType,
    EventId: delivery.eventId,
    Environment: tenant.environment,
  }
  return {
    taskQueue: TASK_QUEUE,
    workflowId: delivery.id,
    // The row, not Temporal's history, decides whether a delivery may run again: a closed workflow may be started anew.
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    args: [input],
    typedSearchAttributes: searchAttributes().map((name) => keyword(name, values[name])),
    staticSummary: `${delivery.eventType} to ${webhook.id}`,
    staticDetails: staticDetails({ delivery, webhook, tenant }),
  }
}

/** Whose delivery it is and where the API shows it, as Markdown: ids only, and a path without the host. */
const staticDetails = ({ delivery, webhook, tenant }: Pick<GateRows, 'delivery' | 'webhook' | 'tenant'>) =>
  [
    `- Company: \`${tenant.companyId}\` (${tenant.environment})`,
    `- Webhook: \`${webhook.id}\``,
    `- Event: \`${delivery.eventId}\``,
    `- API: \`/api-v1-webhooks/${webhook.id}/deliveries/${delivery.id}\``,
  ].join('\n')

/** A search attribute with its value. */
export const keyword = (name: SearchAttribute, value: string): SearchAttributePair => ({
  key: defineSearchAttributeKey(name, 'KEYWORD'),
  value,
})
