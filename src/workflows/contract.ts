import { ApplicationFailure, type ApplicationFailureOptions } from '@temporalio/common'

/**
 * Names, inputs and ids that the workflows share with the code that starts or signals them. It is the one file of this
 * folder that others import, so it imports nothing of ours. Temporal's history keeps all inputs, so they hold ids,
 * statuses and numbers only.
 */
export const TASK_QUEUE = 'webhook-deliveries'

export const WORKFLOW_TYPES = {
  deliverWebhook: 'deliverWebhook',
  sendTest: 'sendTest',
  expireApiKey: 'expireApiKey',
  purgeHistory: 'purgeHistory',
} as const

/**
 * - `retryNow`: the relay reports a retry request that is in the row already; with its number.
 * - `resume`: read the row again; without arguments.
 * - `retry`: an operator asks for a retry; without arguments. The workflow first writes it to the row, as the api does.
 */
export const SIGNALS = { retryNow: 'retryNow', resume: 'resume', retry: 'retry' } as const

/** Custom search attributes, all of type Keyword; the worker registers them where Temporal permits it. */
export const SEARCH_ATTRIBUTES = ['WebhookId', 'CompanyId', 'EventType', 'EventId', 'Environment'] as const

export type SearchAttribute = (typeof SEARCH_ATTRIBUTES)[number]

/** Times of an attempt, in milliseconds, by the configuration of the process that starts the workflow. */
export type AttemptTimes = {
  /** After this Temporal gives an attempt up as lost: the HTTP deadline plus the time for recording. */
  readonly startToCloseMs: number
}

/** `view`: what the delivery's row said when the workflow was started (domain/delivery/view). */
export type DeliverWebhookInput<View> = AttemptTimes & { readonly deliveryId: string; readonly view: View }

export type SendTestInput = AttemptTimes & { readonly deliveryId: string }

export type RetryNowSignal = { readonly retrySeq: number }

export type ExpireApiKeyInput = {
  readonly keyId: string
  /** ISO 8601, UTC. */
  readonly expiresAt: string
}

/** Id of the schedule that removes old history, and of its runs. */
export const PURGE_SCHEDULE_ID = 'purge-history'

/** What a round of the purge gives back. */
export type PurgeReport = { readonly isDone: boolean }

export type AttemptInput = { readonly deliveryId: string }

export type RequestRetryInput = AttemptInput & {
  /** Identifies the signal: a second request with the same key changes nothing. At most 64 characters. */
  readonly requestKey: string
  /** When the signal arrived. ISO 8601, UTC. */
  readonly arrivedAt: string
}

/** `merged` with a retry request made just before; `refused` because the delivery succeeded or is gone. */
export type RequestRetryResult = 'queued' | 'merged' | 'refused'

/** Failure types of the attempt activity: the endpoint's failure, which spends an attempt, and ours, which does not. */
export const FAILED_ATTEMPT = 'FailedAttempt'
const OWN_FAULT = 'OwnFault'

/** Failure type with which the workflow of a failed delivery ends. */
export const DELIVERY_FAILED = 'DeliveryFailed'

/**
 * Makes a failure that Temporal may keep: a type and a short message. Its stack has these two and no frames, which would
 * name paths of our machines. isFailureOf reads the type from the stack.
 *
 * @param options by default the message is the type
 */
export function failureOf(
  type: string,
  options: Omit<ApplicationFailureOptions, 'type'> = {},
): ApplicationFailure {
  const failure = ApplicationFailure.create({ message: type, ...options, type })
  failure.stack = `${type}: ${failure.message}`
  return failure
}

/** Whether an error is a failure of that type, also when it comes from a workflow's thread, which drops its `type`. */
export const isFailureOf = (type: string, error: unknown): boolean =>
  error instanceof Error && (error.stack?.startsWith(`${type}: `) ?? false)

/** Our own fault in an activity. The worker's log has the cause, which Temporal must not see. */
export const ownFault = (
  options: Pick<ApplicationFailureOptions, 'nonRetryable' | 'category'> = {},
): ApplicationFailure =>
  failureOf(OWN_FAULT, { message: 'internal error: see the log of the worker', ...options })

/** The times of an attempt by the configuration: the HTTP deadline plus the time for recording. */
export const attemptTimes = (config: {
  readonly webhookTimeoutMs: number
  readonly recordingTimeoutMs: number
}): AttemptTimes => ({ startToCloseMs: config.webhookTimeoutMs + config.recordingTimeoutMs })

/** Id of the timer workflow of a rotated key. The workflow of a delivery simply has the delivery's id. */
export const keyRotationWorkflowId = (keyId: string): string => `key-rotation/${keyId}`

/** The workflow of a test event; its retries run under the delivery's own id, as those of any delivery do. */
export const testWorkflowId = (deliveryId: string): string => `test/${deliveryId}`

/** Added to the attempt's own time-out: the upper bound of a whole test. */
const TEST_ALLOWANCE_MS = 10_000

/** How long a test event may take in all, in milliseconds. */
export const testLimitMs = ({ webhookTimeoutMs }: { readonly webhookTimeoutMs: number }): number =>
  webhookTimeoutMs + TEST_ALLOWANCE_MS
