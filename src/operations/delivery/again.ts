import type { Knex } from 'knex'
import { isSuspended } from '../../db/companies.ts'
import { findDelivery, lockDelivery } from '../../db/delivery/deliveries.ts'
import { insertDeliveries, type NewDelivery, takeDeliveryNumber } from '../../db/delivery/new-deliveries.ts'
import { queueRetry } from '../../db/delivery/retries.ts'
import { insertStarts } from '../../db/outbox/outbox.ts'
import { addToCounters } from '../../db/webhook/counters.ts'
import { findWebhook } from '../../db/webhook/webhooks.ts'
import type { Actor } from '../../domain/actor.ts'
import { isOpen, isTest, type Delivery } from '../../domain/delivery/delivery.ts'
import { parkReason, type ParkReason, type ShownDelivery } from '../../domain/delivery/gate.ts'
import { invalidRequest, orNotFound } from '../../domain/errors.ts'
import type { StoredEvent } from '../../domain/event/event.ts'
import { isTestEventId, newId } from '../../domain/ids.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { maximumAttempts, type Webhook } from '../../domain/webhook/webhook.ts'
import type { Deps } from '../../deps/deps.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { inRingingTransaction } from '../ringing-transaction.ts'
import { auditAs } from '../audit.ts'
import { holdingOf } from './read.ts'

/**
 * Queues another attempt of a delivery that has not succeeded.
 *
 * @param arrivedAt when the request arrived, which may be long before it gets the row's lock
 * @returns why the queued attempt waits, or null when it goes out at once
 * @throws ApiError NOT_FOUND, or INVALID_REQUEST when the delivery already succeeded (docs/specification.md, Manual retry)
 */
export async function retryDelivery(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  webhookId: string,
  deliveryId: string,
  arrivedAt: Date,
  kept?: AnswerToKeep<ParkReason | null>,
): Promise<ParkReason | null> {
  return inRingingTransaction(deps, async (trx) => {
    const webhook = orNotFound(await findWebhook(trx, tenant, webhookId), 'Webhook')
    const delivery = orNotFound(await lockDelivery(trx, tenant, webhookId, deliveryId), 'Delivery')
    const request = { actor, maxRetries: webhook.maxRetries, arrivedAt, now: deps.clock() }
    const verdict = await queueRetry(trx, tenant, delivery, request)
    if (verdict.kind === 'refused')
      throw invalidRequest('The delivery already succeeded. Use resend to send its event once more.')
    const queued = verdict.kind === 'queued' ? verdict.delivery : delivery
    // A failing endpoint is no reason to wait: somebody asked for this attempt.
    const parking = { isActive: webhook.isActive, isSuspended: await isSuspended(trx, tenant.companyId) }
    return keepAnswer(trx, kept, parkReason(queued, parking))
  })
}

/**
 * Sends the event of an ended delivery again, in a new delivery. The original may have succeeded or failed. The
 * requests of the new delivery have the webhook-id of the original, so the endpoint may drop them as repetitions. The
 * webhook's present settings apply. While the webhook is inactive, the new delivery waits.
 *
 * @throws ApiError NOT_FOUND; INVALID_REQUEST while the original is open, for a test event, and when the event is gone
 */
export async function resendDelivery(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  webhookId: string,
  deliveryId: string,
  kept?: AnswerToKeep<ShownDelivery>,
): Promise<ShownDelivery> {
  return inRingingTransaction(deps, async (trx) => {
    const webhook = orNotFound(await findWebhook(trx, tenant, webhookId), 'Webhook')
    const original = orNotFound(await lockDelivery(trx, tenant, webhookId, deliveryId), 'Delivery')
    checkMayBeResent(original)
    const number = await takeDeliveryNumber(trx, tenant, original)
    if (number === undefined) throw invalidRequest('The event of the delivery is gone.')
    const resend = { of: original.id, number }
    const resent = await insertByHand(deps, trx, tenant, webhook, { ...original, resend }, kept)
    const details = { webhook_id: webhookId, delivery_id: resent.delivery.id }
    await auditAs(tenant, actor)(trx, 'delivery.resend', deliveryId, resent.delivery.createdAt, details)
    return resent
  })
}

/**
 * Makes the first delivery of an event for a webhook that got none: the webhook did not subscribe to the type, its
 * filter did not match, it was inactive, or it was created later. The webhook's event types and filter are ignored.
 * While the webhook is inactive the delivery waits.
 *
 * @throws ApiError NOT_FOUND; INVALID_REQUEST if the webhook has a delivery of the event, and for a test event
 */
export async function sendEvent(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  webhookId: string,
  event: Pick<StoredEvent, 'id' | 'type'>,
  kept?: AnswerToKeep<ShownDelivery>,
): Promise<ShownDelivery> {
  return inRingingTransaction(deps, async (trx) => {
    const webhook = orNotFound(await findWebhook(trx, tenant, webhookId), 'Webhook')
    if (isTestEventId(event.id))
      throw invalidRequest('A test event belongs to its webhook: send another one with test.')
    const eventId = event.id
    const number = orNotFound(await takeDeliveryNumber(trx, tenant, { webhookId, eventId }), 'Event')
    if (number > 0) throw invalidRequest('The webhook has a delivery of this event: retry or resend it.')
    const sent = await insertByHand(deps, trx, tenant, webhook, { eventId, eventType: event.type }, kept)
    const details = { event_id: eventId, delivery_id: sent.delivery.id }
    await auditAs(tenant, actor)(trx, 'webhook.send_event', webhookId, sent.delivery.createdAt, details)
    return sent
  })
}

function checkMayBeResent(original: Delivery): void {
  if (isTest(original)) throw invalidRequest('A test event cannot be sent again: send another one with test.')
  if (isOpen(original)) {
    throw invalidRequest(
      'The delivery has not ended. Use retry to make its next attempt now, or wait until it has.',
    )
  }
}

async function insertByHand(
  deps: Deps,
  trx: Knex.Transaction,
  tenant: Tenant,
  webhook: Webhook,
  { eventId, eventType, resend }: Pick<NewDelivery, 'eventId' | 'eventType' | 'resend'>,
  kept: AnswerToKeep<ShownDelivery> | undefined,
): Promise<ShownDelivery> {
  const id = newId('delivery')
  const webhookId = webhook.id
  const times = { maxAttempts: maximumAttempts(webhook.maxRetries), createdAt: deps.clock() }
  const made = { id, webhookId, eventId, eventType, ...times, isInTemporal: false, ...(resend && { resend }) }
  await insertDeliveries(trx, tenant, [made])
  await insertStarts(trx, tenant, [{ id, webhookId }])
  await addToCounters(trx, [{ webhookId, changes: { pending: 1 } }])
  const delivery = await findDelivery(trx, tenant, webhookId, id)
  if (!delivery) throw new Error('the new delivery is not there')
  return keepAnswer(trx, kept, { delivery, webhook: await holdingOf({ db: trx }, tenant, webhook) })
}
