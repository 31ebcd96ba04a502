import { lockDelivery } from '../../db/delivery/deliveries.ts'
import { queueRetry } from '../../db/delivery/retries.ts'
import { findWebhook } from '../../db/webhook/webhooks.ts'
import { isSuspended } from '../../db/companies.ts'
import { parkReason, type ParkReason } from '../../domain/delivery/gate.ts'
import { ApiError, orNotFound } from '../../domain/errors.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Deps } from '../../deps/deps.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { inRingingTransaction } from '../ringing-transaction.ts'

/**
 * Queues another attempt of a delivery that has not succeeded.
 *
 * @param arrivedAt when the request arrived, which may be long before it gets the row's lock
 * @returns why the queued attempt waits, or null when it goes out at once
 * @throws ApiError NOT_FOUND, or INVALID_REQUEST when the delivery already succeeded (spec, Manual retry)
 */
export async function retryDelivery(
  deps: Deps,
  tenant: Tenant,
  webhookId: string,
  deliveryId: string,
  arrivedAt: Date,
  kept?: AnswerToKeep<ParkReason | null>,
): Promise<ParkReason | null> {
  return inRingingTransaction(deps, async (trx) => {
    const webhook = orNotFound(await findWebhook(trx, tenant, webhookId), 'Webhook')
    const delivery = orNotFound(await lockDelivery(trx, tenant, webhookId, deliveryId), 'Delivery')
    const request = { maxRetries: webhook.maxRetries, arrivedAt, now: deps.clock() }
    const verdict = await queueRetry(trx, tenant, delivery, request)
    if (verdict.kind === 'refused') throw alreadySucceeded()
    const queued = verdict.kind === 'queued' ? verdict.delivery : delivery
    // A failing endpoint is no reason to wait: somebody asked for this attempt.
    const isCompanySuspended = await isSuspended(trx, tenant.companyId)
    const reason = parkReason(queued, { isActive: webhook.isActive, isSuspended: isCompanySuspended })
    return keepAnswer(trx, kept, reason)
  })
}

const alreadySucceeded = () =>
  new ApiError('INVALID_REQUEST', 'The delivery already succeeded. Use resend to send its event once more.')
