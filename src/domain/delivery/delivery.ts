import { isTestEventId } from '../ids.ts'

/**
 * The states of a delivery. The moves between them are the functions of transitions.ts.
 *
 * - `pending`: no attempt was recorded yet. A publish or a test event creates a delivery in this state. Next comes its
 *   first attempt.
 * - `retrying`: the latest attempt failed and another one is due at `nextRetryAt`. The recorder moves it here after a
 *   failure, and a manual retry moves a failed delivery back here.
 * - `success`: the endpoint answered 2xx. The recorder moves it here, however late the answer came. Final.
 * - `failed`: no further attempt is due, for the reason in `closedReason`. The recorder moves it here after the last
 *   attempt; the gate and the deletion of the webhook close it without an attempt; the api closes a test event whose
 *   answer did not come. Only a manual retry and a recovery move it on.
 *
 * `pending` and `retrying` are open. The gate, or the relay before it, parks an open delivery whose webhook is inactive or
 * whose company is suspended (`parkedAt`). It keeps its state, and the relay makes it due again when the webhook is
 * activated, or the company resumed.
 */
export const DELIVERY_STATUSES = ['pending', 'success', 'retrying', 'failed'] as const

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/**
 * Why a delivery was closed without `success`. `test_unanswered`: the result of a test event did not come in time, or
 * could not come because the company is suspended.
 */
export type ClosedReason = 'attempts_used' | 'webhook_deleted' | 'test_unanswered'

/** What made an attempt happen. */
export type Trigger = 'scheduled' | 'manual' | 'test' | 'recovery'

/**
 * The two ways to the first attempt of a delivery.
 *
 * - `workflow`: the workflow of the delivery makes it, like all later attempts.
 * - `direct`: the worker that claims the delivery makes it, and the retries that are due soon after it. Later retries,
 *   and deliveries that failed for good, go to a workflow.
 */
export const FIRST_ATTEMPTS = ['workflow', 'direct'] as const

export type FirstAttempt = (typeof FIRST_ATTEMPTS)[number]

/** Who made an attempt, as it is stored and shown: `workflow`, or `worker` for a direct attempt. */
export type AttemptMaker = 'workflow' | 'worker'

export type Delivery = {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: string
  readonly status: DeliveryStatus
  /** How many attempts were made so far; never more than maxAttempts. */
  readonly attempts: number
  readonly maxAttempts: number
  /**
   * How many attempts the schedule does not count: manual ones, and all attempts before the delivery last got a full
   * set of attempts.
   */
  readonly attemptsBase: number
  /**
   * `retrySeq`: the number of the latest retry request. `retryServed`: the latest number that an attempt has served.
   */
  readonly retrySeq: number
  readonly retryServed: number
  readonly retryRequestedAt: Date | null
  readonly responseCode: number | null
  readonly responseBody: string | null
  readonly requestDurationMs: number | null
  readonly createdAt: Date
  readonly deliveredAt: Date | null
  readonly nextRetryAt: Date | null
  readonly parkedAt: Date | null
  readonly closedReason: ClosedReason | null
  /**
   * Whether a workflow may exist for the delivery. A direct attempt begins only while this is false. Once true it stays
   * true, unless a recovery opens the delivery again and finds that its workflow has ended.
   */
  readonly isInTemporal: boolean
  /** The delivery that this one repeats because a user asked for it; null if it is not a resend. */
  readonly resendOf: string | null
  /** How many attempts the delivery had when a recovery last queued it; null if no recovery did. */
  readonly recoveryBase: number | null
}

/** A delivery as it is shown. */
export type FoundDelivery = Delivery & {
  /** The bytes of its event. null if a purge removed the event, or the list leaves payloads out. */
  readonly payload: Buffer | null
  /** The record that its event is about. null if there is none, a purge removed the event, or a former release wrote it. */
  readonly record: string | null
  /** The name of that record; see recordNameOf. */
  readonly recordName: string | null
  /**
   * The error code of the latest attempt: why it got no answer, or what was wrong with the body of its answer. null
   * without such an error, and before the first attempt.
   */
  readonly error: string | null
}

/**
 * Only the latest attempts of a delivery, at most this many, keep response bodies and headers. The page of a delivery
 * shows only these attempts. Clients can retry a delivery any number of times, and 18 KiB for each attempt would fill
 * memory and disk.
 */
export const KEPT_BODIES = 20

/**
 * How long each step of an attempt took, in whole milliseconds. null: the step did not take place. On a kept
 * connection, only the first byte has a time. A failed step has the time until it failed, and the steps after it are
 * null. After a `dns_error` all steps are null.
 */
export type StepTimes = {
  /** The time to resolve the host name. null if the URL has an address. */
  readonly dnsMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  /** From the request to the first byte of an answer. Informational answers count. */
  readonly firstByteMs: number | null
}

/** The times of an attempt without a measured step. */
export const NO_STEPS: StepTimes = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }

/** An attempt as it is stored and shown. */
export type Attempt = {
  readonly number: number
  readonly startedAt: Date
  readonly durationMs: number
  readonly responseCode: number | null
  readonly responseBody: string | null
  readonly error: string | null
  /** The target of a 3xx answer. It is never followed. */
  readonly location: string | null
  /** The headers of the answer as storedHeaders writes them. null without an answer, or after their removal. */
  readonly responseHeaders: string | null
  readonly steps: StepTimes
  readonly trigger: Trigger
  /** null if the release that made the attempt did not store this. */
  readonly madeBy: AttemptMaker | null
}

/** The result of a failed attempt as a short code: `http_500`, or the reason for no answer, such as `dns_error`. */
export const attemptCode = ({ responseCode, error }: Pick<Attempt, 'responseCode' | 'error'>): string =>
  responseCode === null ? (error ?? 'no_answer') : `http_${responseCode}`

export const isOpen = ({ status }: Pick<Delivery, 'status'>): boolean =>
  status === 'pending' || status === 'retrying'

export const isTest = ({ eventId }: Pick<Delivery, 'eventId'>): boolean => isTestEventId(eventId)

/** Whether a manual retry was requested that no attempt has served yet. */
export const hasUnservedRetry = (delivery: Pick<Delivery, 'retrySeq' | 'retryServed'>): boolean =>
  delivery.retrySeq > delivery.retryServed

/** Whether the delivery's next attempt is the one that a recovery asked for. */
export const isRecovered = (delivery: Pick<Delivery, 'attempts' | 'recoveryBase'>): boolean =>
  delivery.attempts === delivery.recoveryBase

/** Whether the delivery's next attempt counts as a first attempt. First attempts wait while the endpoint fails. */
export const isFirstAttempt = (delivery: Pick<Delivery, 'attempts' | 'recoveryBase'>): boolean =>
  delivery.attempts === 0 || isRecovered(delivery)

/** The age classes of deliveries. A delivery belongs to the first class whose limit is above its age. */
const AGE_LIMITS = [
  { name: 'under_1m', belowMs: 60_000 },
  { name: 'under_1h', belowMs: 3_600_000 },
  { name: 'under_1d', belowMs: 86_400_000 },
] as const

/** The values of ageClass, the youngest class first. `unknown`: the time of creation was not read. */
export const AGE_CLASSES = [...AGE_LIMITS.map(({ name }) => name), 'older', 'unknown'] as const

export type AgeClass = (typeof AGE_CLASSES)[number]

/** The age class of a delivery that was created at the given time. */
export function ageClass(createdAt: Date | undefined, now: Date): AgeClass {
  if (createdAt === undefined) return 'unknown'
  const ageMs = now.getTime() - createdAt.getTime()
  return AGE_LIMITS.find(({ belowMs }) => ageMs < belowMs)?.name ?? 'older'
}

/** The fields by which log lines name a delivery. */
export const loggedIds = (delivery: Delivery, companyId: string) => ({
  delivery_id: delivery.id,
  webhook_id: delivery.webhookId,
  company_id: companyId,
  event_id: delivery.eventId,
  event_type: delivery.eventType,
})
