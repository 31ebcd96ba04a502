import { isTest, type Attempt, type FoundDelivery } from '../domain/delivery/delivery.ts'
import {
  heldReason,
  type HoldingWebhook,
  type ParkReason,
  type ShownDelivery,
} from '../domain/delivery/gate.ts'
import { keptHeaders } from '../domain/delivery/kept-response.ts'
import { StoredJson } from './stored-json.ts'

/**
 * The Delivery of the API. With the status success it has `delivered_at` and `payload`, otherwise it has `next_retry_at`.
 * `next_retry_at` is null if no attempt is scheduled, for example while the delivery is held.
 */
export function presentDelivery(delivery: FoundDelivery, webhook: HoldingWebhook) {
  const held = heldReason(delivery, webhook)
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    event_type: delivery.eventType,
    event_id: delivery.eventId,
    record: delivery.record,
    record_name: delivery.recordName,
    is_test: isTest(delivery),
    status: delivery.status,
    response_code: delivery.responseCode,
    response_body: delivery.responseBody,
    error: delivery.error,
    attempts: delivery.attempts,
    max_attempts: delivery.maxAttempts,
    request_duration_ms: delivery.requestDurationMs,
    created_at: delivery.createdAt.toISOString(),
    resend_of: delivery.resendOf,
    held_reason: held,
    ...(delivery.status === 'success'
      ? { delivered_at: delivery.deliveredAt?.toISOString(), payload: presentPayload(delivery.payload) }
      : { next_retry_at: held ? null : (delivery.nextRetryAt?.toISOString() ?? null) }),
  }
}

/** A delivery in a list, or one that was just resent. */
export const presentListedDelivery = ({ delivery, webhook }: ShownDelivery) =>
  presentDelivery(delivery, webhook)

/** One delivery with its payload, whatever its status, and its latest attempts, the oldest of them first. */
export const presentDeliveryDetail = (
  delivery: FoundDelivery,
  webhook: HoldingWebhook,
  attempts: readonly Attempt[],
) => ({
  ...presentDelivery(delivery, webhook),
  payload: presentPayload(delivery.payload),
  attempt_log: attempts.map(presentAttempt),
})

/** The answer to a test event. */
export const presentTestResult = (delivery: FoundDelivery) => ({
  success: delivery.status === 'success',
  delivery_id: delivery.id,
  response_code: delivery.responseCode,
  response_body: delivery.responseBody,
  error: delivery.error,
  duration_ms: delivery.requestDurationMs ?? 0,
})

/**
 * By the specification (Manual retry) the message says that the delivery is queued for retry. We add the reason if it must
 * wait.
 */
export const presentQueuedRetry = (parked: ParkReason | null) => ({
  success: true,
  message: parked ? `${QUEUED}. It will be sent when ${SENT_WHEN[parked]}.` : QUEUED,
})

const SENT_WHEN: Readonly<Record<ParkReason, string>> = {
  company_suspended: 'the company is no longer suspended',
  webhook_inactive: 'the webhook is active again',
}

const QUEUED = 'Delivery queued for retry'

/** The stored bytes are the JSON that was sent. undefined if a purge has deleted the event. */
const presentPayload = (payload: Buffer | null): StoredJson | undefined =>
  payload === null ? undefined : new StoredJson(payload)

/** One attempt of a delivery. */
export const presentAttempt = (attempt: Attempt) => {
  const { steps, responseHeaders } = attempt
  const kept = responseHeaders === null ? undefined : keptHeaders(responseHeaders)
  return {
    number: attempt.number,
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    dns_ms: steps.dnsMs,
    connect_ms: steps.connectMs,
    tls_ms: steps.tlsMs,
    first_byte_ms: steps.firstByteMs,
    response_code: attempt.responseCode,
    response_headers: kept?.headers ?? null,
    response_headers_cut: kept?.isCut ?? false,
    response_body: attempt.responseBody,
    error: attempt.error,
    location: attempt.location,
    trigger: attempt.trigger,
    made_by: attempt.madeBy,
  }
}
