import type { Actor } from '../../domain/actor.ts'
import type { Delivery } from '../../domain/delivery/delivery.ts'
import { decideRetry, type RetryVerdict } from '../../domain/delivery/retry-request.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { insertAudit } from '../audit.ts'
import type { Db } from '../connection/connection.ts'
import { addToCounters, transition } from '../webhook/counters.ts'
import { findAttemptEnd } from './attempts.ts'
import { updateDelivery } from './deliveries.ts'
import { enqueueCommands } from '../outbox/outbox.ts'
import { COMMAND_QUEUE } from '../outbox/queues.ts'

type RetryRequest = {
  /** The actor who requested the retry. */
  readonly actor: Actor
  /** The present setting of the webhook. */
  readonly maxRetries: number
  readonly arrivedAt: Date
  readonly now: Date
}

/**
 * Carries out a retry request, in the transaction of a caller that has locked the delivery's row. It decides what the
 * request does, and writes the row, the command for Temporal, the counters and the audit. All retry requests come here, so
 * they follow the same rules.
 */
export async function queueRetry(
  trx: Db,
  tenant: Tenant,
  delivery: Delivery,
  { actor, maxRetries, arrivedAt, now }: RetryRequest,
): Promise<RetryVerdict> {
  const { id, webhookId } = delivery
  const attemptEndedAt = await findAttemptEnd(trx, tenant, id)
  const verdict = decideRetry(delivery, maxRetries, { arrivedAt, now, attemptEndedAt })
  if (verdict.kind !== 'queued') return verdict
  await updateDelivery(trx, tenant, verdict.delivery, now)
  const { retrySeq } = verdict.delivery
  await enqueueCommands(trx, tenant, [
    { kind: 'retry', targetId: id, queue: COMMAND_QUEUE, argument: retrySeq },
  ])
  await addToCounters(trx, [{ webhookId, changes: transition(delivery.status, verdict.delivery.status) }])
  await insertAudit(trx, {
    companyId: tenant.companyId,
    at: now,
    actor,
    action: 'delivery.retry',
    targetId: id,
    details: { webhook_id: webhookId, retry_seq: retrySeq },
  })
  return verdict
}
