import type { Delivery } from '../../domain/delivery/delivery.ts'
import { decideRetry, type RetryVerdict } from '../../domain/delivery/retry-request.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { addToCounters, transition } from '../webhook/counters.ts'
import { findAttemptEnd } from './attempts.ts'
import { updateDelivery } from './deliveries.ts'
import { enqueueCommands } from '../outbox/outbox.ts'
import { COMMAND_QUEUE } from '../outbox/queues.ts'

type RetryRequest = {
  /** The webhook's setting now. */
  readonly maxRetries: number
  readonly arrivedAt: Date
  readonly now: Date
}

/**
 * Carries out a retry request in the transaction of a caller that has locked the delivery's row. Decides what it does,
 * and writes the row, the command for Temporal and the counters. All retry requests come here and follow the same rules.
 */
export async function queueRetry(
  trx: Db,
  tenant: Tenant,
  delivery: Delivery,
  { maxRetries, arrivedAt, now }: RetryRequest,
): Promise<RetryVerdict> {
  const { id, webhookId } = delivery
  const attemptEndedAt = await findAttemptEnd(trx, tenant, id)
  const verdict = decideRetry(delivery, maxRetries, { arrivedAt, now, attemptEndedAt })
  if (verdict.kind !== 'queued') return verdict
  await updateDelivery(trx, tenant, verdict.delivery, now)
  await enqueueCommands(trx, tenant, [
    { kind: 'retry', targetId: id, queue: COMMAND_QUEUE, argument: verdict.delivery.retrySeq },
  ])
  await addToCounters(trx, [{ webhookId, changes: transition(delivery.status, verdict.delivery.status) }])
  return verdict
}
