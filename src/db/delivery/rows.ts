import {
  isOpen,
  type Attempt,
  type AttemptMaker,
  type ClosedReason,
  type Delivery,
  type DeliveryStatus,
  type Trigger,
} from '../../domain/delivery/delivery.ts'
import { sql } from '../connection/statements.ts'

/** A row of `deliveries`; only the files of db/ use it. */
export type DeliveryRow = {
  id: string
  company_id: string
  environment: string
  webhook_id: string
  event_id: string
  event_type: string
  status: DeliveryStatus
  attempts: number
  max_attempts: number
  attempts_base: number
  retry_seq: number
  retry_served: number
  retry_requested_at: Date | null
  response_code: number | null
  response_body: string | null
  request_duration_ms: number | null
  created_at: Date
  delivered_at: Date | null
  next_retry_at: Date | null
  wake_at: Date | null
  parked_at: Date | null
  closed_at: Date | null
  closed_reason: ClosedReason | null
  in_temporal: number
  resend_of: string | null
  recovery_base: number | null
}

export type AttemptRow = {
  delivery_id: string
  number: number
  started_at: Date
  duration_ms: number
  response_code: number | null
  response_body: string | null
  error: string | null
  location: string | null
  response_headers: string | null
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  first_byte_ms: number | null
  trigger: Trigger
  made_by: AttemptMaker | null
}

/** Joins the event `e` of a delivery `d`. */
export const JOIN_EVENT = sql`
  JOIN events e ON e.company_id = d.company_id AND e.environment = d.environment AND e.id = d.event_id`

export const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  eventId: row.event_id,
  eventType: row.event_type,
  status: row.status,
  attempts: row.attempts,
  maxAttempts: row.max_attempts,
  attemptsBase: row.attempts_base,
  retrySeq: row.retry_seq,
  retryServed: row.retry_served,
  retryRequestedAt: row.retry_requested_at,
  responseCode: row.response_code,
  responseBody: row.response_body,
  requestDurationMs: row.request_duration_ms,
  createdAt: row.created_at,
  deliveredAt: row.delivered_at,
  nextRetryAt: row.next_retry_at,
  parkedAt: row.parked_at,
  closedReason: row.closed_reason,
  isInTemporal: row.in_temporal === 1,
  resendOf: row.resend_of,
  recoveryBase: row.recovery_base,
})

/** The columns of a delivery that can change, and two that are computed from them: when it wakes, and when it was closed. */
export function changingColumns(delivery: Delivery, now: Date) {
  const wakesAt = delivery.parkedAt ? null : (delivery.nextRetryAt ?? now)
  return {
    status: delivery.status,
    attempts: delivery.attempts,
    max_attempts: delivery.maxAttempts,
    attempts_base: delivery.attemptsBase,
    retry_seq: delivery.retrySeq,
    retry_served: delivery.retryServed,
    retry_requested_at: delivery.retryRequestedAt,
    response_code: delivery.responseCode,
    response_body: delivery.responseBody,
    request_duration_ms: delivery.requestDurationMs,
    delivered_at: delivery.deliveredAt,
    next_retry_at: delivery.nextRetryAt,
    wake_at: isOpen(delivery) ? wakesAt : null,
    parked_at: delivery.parkedAt,
    closed_at: isOpen(delivery) ? null : now,
    closed_reason: delivery.closedReason,
    in_temporal: delivery.isInTemporal ? 1 : 0,
    recovery_base: delivery.recoveryBase,
  }
}

export const toAttempt = (row: AttemptRow): Attempt => ({
  number: row.number,
  startedAt: row.started_at,
  durationMs: row.duration_ms,
  responseCode: row.response_code,
  responseBody: row.response_body,
  error: row.error,
  location: row.location,
  responseHeaders: row.response_headers,
  steps: {
    dnsMs: row.dns_ms,
    connectMs: row.connect_ms,
    tlsMs: row.tls_ms,
    firstByteMs: row.first_byte_ms,
  },
  trigger: row.trigger,
  madeBy: row.made_by,
})

/** A locked delivery, and its row for writing it back. */
export type LockedDelivery = { readonly delivery: Delivery; readonly row: DeliveryRow }

/** A change of a locked delivery: the delivery before and after it, and the attempt that caused it. */
export type DeliveryChange = {
  readonly before: LockedDelivery
  readonly after: Delivery
  readonly attempt?: Attempt
  /** Retries of a direct attempt are direct too until this time. */
  readonly directUntil?: Date | undefined
  /** Set if the endpoint answered 410 Gone: the version of the webhook with which the request was made. */
  readonly goneAtVersion?: number
}
