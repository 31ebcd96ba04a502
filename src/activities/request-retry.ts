import { hasAuditOf } from '../db/audit.ts'
import { TEMPORAL } from '../domain/actor.ts'
import { inTransaction } from '../db/connection/connection.ts'
import { lockDelivery } from '../db/delivery/deliveries.ts'
import { queueRetry } from '../db/delivery/retries.ts'
import { readGateRows } from '../db/delivery/gate-rows.ts'
import { findWebhook } from '../db/webhook/webhooks.ts'
import type { SystemDeps } from '../deps/deps.ts'
import type { RequestRetryInput, RequestRetryResult } from '../workflows/contract.ts'

/**
 * Makes the activity that writes a retry request to the delivery's row, when the request came as a signal. It changes
 * the row in the same way as `POST …/retry`, and writes the request's key into the audit entry. If Temporal repeats the
 * activity after its commit, the activity finds that entry and changes nothing.
 */
export function createRetryRequest({ db, clock }: SystemDeps) {
  return async ({ deliveryId, requestKey, arrivedAt }: RequestRetryInput): Promise<RequestRetryResult> => {
    const rows = await readGateRows(db, deliveryId)
    if (!rows) return 'refused'
    const { tenant } = rows
    const { companyId } = tenant
    const webhookId = rows.webhook.id
    return inTransaction(db, async (trx) => {
      const webhook = await findWebhook(trx, tenant, webhookId)
      const delivery = webhook && (await lockDelivery(trx, tenant, webhookId, deliveryId))
      if (!delivery) return 'refused'
      if (await hasAuditOf(trx, { companyId, targetId: deliveryId, requestId: requestKey })) return 'queued'
      const actor = { ...TEMPORAL, requestId: requestKey }
      const times = { arrivedAt: new Date(arrivedAt), now: clock() }
      const { maxRetries } = webhook
      return (await queueRetry(trx, tenant, delivery, { actor, maxRetries, ...times })).kind
    })
  }
}
