import type { Knex } from 'knex'
import { inTransaction } from '../../db/connection/connection.ts'
import { insertDeliveries } from '../../db/delivery/new-deliveries.ts'
import { findDelivery, lockDelivery, type FoundDelivery } from '../../db/delivery/deliveries.ts'
import { takeResendNumber } from '../../db/delivery/resends.ts'
import { insertStarts } from '../../db/outbox/outbox.ts'
import { addToCounters } from '../../db/webhook/counters.ts'
import { findWebhook } from '../../db/webhook/webhooks.ts'
import { isOpen, isTest, type Delivery } from '../../domain/delivery/delivery.ts'
import type { HoldingWebhook } from '../../domain/delivery/held.ts'
import { ApiError, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { maximumAttempts } from '../../domain/webhook/webhook.ts'
import type { Deps } from '../../deps/deps.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { holdingOf } from './read.ts'

/** A delivery that was made to repeat another one, and what of its webhook may hold it. */
export type ResentDelivery = { readonly delivery: FoundDelivery; readonly webhook: HoldingWebhook }

/**
 * Makes a new delivery of the event of a delivery that has ended, with or without success. It has the same webhook-id, so the
 * endpoint may drop it as a repetition. The webhook's present settings apply; while the webhook is inactive it waits.
 *
 * @throws ApiError NOT_FOUND; INVALID_REQUEST while the original is open, and for a test event
 */
export async function resendDelivery(
  deps: Deps,
  tenant: Tenant,
  webhookId: string,
  deliveryId: string,
  kept?: AnswerToKeep<ResentDelivery>,
): Promise<ResentDelivery> {
  const resent = await inTransaction(deps.db, async (trx) => {
    const webhook = await findWebhook(trx, tenant, webhookId)
    const original = webhook && (await lockDelivery(trx, tenant, webhookId, deliveryId))
    if (!original) throw notFound(webhook ? 'Delivery' : 'Webhook')
    checkMayBeResent(original)
    const maxAttempts = maximumAttempts(webhook.maxRetries)
    const id = await insertResent(trx, tenant, original, { maxAttempts, now: deps.clock() })
    const delivery = await findDelivery(trx, tenant, webhookId, id)
    if (!delivery) throw new Error('the new delivery is not there')
    const result = { delivery, webhook: await holdingOf({ db: trx }, tenant, webhook) }
    await keepAnswer(trx, kept, result)
    return result
  })
  deps.doorbell.ring()
  return resent
}

function checkMayBeResent(original: Delivery): void {
  if (isTest(original)) {
    throw new ApiError('INVALID_REQUEST', 'A test event cannot be sent again: send another one with test.')
  }
  if (isOpen(original)) {
    throw new ApiError(
      'INVALID_REQUEST',
      'The delivery has not ended. Use retry to make its next attempt now, or wait until it has.',
    )
  }
}

/** @returns the id of the new delivery */
async function insertResent(
  trx: Knex.Transaction,
  tenant: Tenant,
  { id: original, webhookId, eventId, eventType }: Delivery,
  { maxAttempts, now }: { readonly maxAttempts: number; readonly now: Date },
): Promise<string> {
  const number = await takeResendNumber(trx, tenant, { eventId, webhookId })
  if (number === undefined) throw new ApiError('INVALID_REQUEST', 'The event of the delivery is gone.')
  const id = newId('delivery')
  await insertDeliveries(trx, tenant, [
    {
      id,
      webhookId,
      eventId,
      eventType,
      maxAttempts,
      createdAt: now,
      isInTemporal: false,
      resend: { of: original, number },
    },
  ])
  await insertStarts(trx, tenant, [{ id, webhookId }])
  await addToCounters(trx, [{ webhookId, changes: { pending: 1 } }])
  return id
}
