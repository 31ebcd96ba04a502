import type { Attempt, Delivery } from '../domain/deliveries.js'
import { StoredJson } from './stored-json.js'

type WithPayload = Delivery & { readonly payload: Buffer | null }

/**
 * The Delivery of the spec. `delivered_at` and `payload` are there on success, `next_retry_at` on every other status:
 * null when nothing is scheduled, which is also so while the webhook is inactive.
 */
export const presentDelivery = (delivery: WithPayload, webhook: { readonly isActive: boolean }) => ({
  ...presentCommon(delivery),
  ...(delivery.status === 'success'
    ? { delivered_at: delivery.deliveredAt?.toISOString(), payload: presentPayload(delivery.payload) }
    : { next_retry_at: webhook.isActive ? (delivery.nextRetryAt?.toISOString() ?? null) : null }),
})

/** One delivery with its payload, whatever its status, and its attempts. */
export const presentDeliveryDetail = (
  delivery: WithPayload,
  webhook: { readonly isActive: boolean },
  attempts: readonly Attempt[],
) => ({
  ...presentDelivery(delivery, webhook),
  payload: presentPayload(delivery.payload),
  attempt_log: attempts.map(presentAttempt),
})

/** The answer to a test event. */
export const presentTestResult = (delivery: Delivery) => ({
  success: delivery.status === 'success',
  delivery_id: delivery.id,
  response_code: delivery.responseCode,
  response_body: delivery.responseBody,
  duration_ms: delivery.requestDurationMs ?? 0,
})

const presentCommon = (delivery: Delivery) => ({
  id: delivery.id,
  webhook_id: delivery.webhookId,
  event_type: delivery.eventType,
  event_id: delivery.eventId,
  status: delivery.status,
  response_code: delivery.responseCode,
  response_body: delivery.responseBody,
  attempts: delivery.attempts,
  max_attempts: delivery.maxAttempts,
  request_duration_ms: delivery.requestDurationMs,
  created_at: delivery.createdAt.toISOString(),
})

/** The stored bytes are the JSON that was sent; undefined once a purge took the event. */
const presentPayload = (payload: Buffer | null): StoredJson | undefined =>
  payload === null ? undefined : new StoredJson(payload)

const presentAttempt = (attempt: Attempt) => ({
  number: attempt.number,
  started_at: attempt.startedAt.toISOString(),
  duration_ms: attempt.durationMs,
  response_code: attempt.responseCode,
  response_body: attempt.responseBody,
  error: attempt.error,
  trigger: attempt.trigger,
})
