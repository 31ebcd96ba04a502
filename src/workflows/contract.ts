import {
  ApplicationFailure,
  type ApplicationFailureOptions,
  type WorkerDeploymentVersion,
} from '@temporalio/common'
import type { AttemptReport, DeliveryView } from '../domain/delivery/view.ts'

/**
 * Names, inputs and ids that the workflows share with the code that starts or signals them. Code outside this folder
 * may import only this file of it. So this file itself imports nothing of our own code but types of the domain.
 * Temporal's history keeps all inputs, so inputs have only ids, states, numbers and times.
 */
export const TASK_QUEUE = 'webhook-deliveries'

/**
 * The task queue for rounds of recoveries. A worker runs a few of them at once, beside the activities of TASK_QUEUE.
 */
export const RECOVERY_QUEUE = 'webhook-recoveries'

export const WORKFLOW_TYPES = {
  deliverWebhook: 'deliverWebhook',
  sendTest: 'sendTest',
  expireApiKey: 'expireApiKey',
  purgeHistory: 'purgeHistory',
  recoverWebhook: 'recoverWebhook',
} as const

/**
 * - `retryNow`: the relay reports a retry request that the row already has. The argument has the number of the request.
 * - `resume`: tells the workflow of a delivery or a recovery to read its row again. No arguments.
 * - `retry`: an operator asks for a retry. No arguments. An activity writes the request to the row, as the api does.
 */
export const SIGNALS = { retryNow: 'retryNow', resume: 'resume', retry: 'retry' } as const

/** Custom search attributes, all of type Keyword; the worker registers them where Temporal permits it. */
export const SEARCH_ATTRIBUTES = ['WebhookId', 'CompanyId', 'EventType', 'EventId', 'Environment'] as const

export type SearchAttribute = (typeof SEARCH_ATTRIBUTES)[number]

/** Time limits of an attempt. They come from the configuration of the process that starts the workflow. */
export type AttemptTimes = {
  /** If an attempt takes longer, Temporal treats it as lost. This is the HTTP deadline plus the time for recording. */
  readonly startToCloseMs: number
}

/** `view`: what the delivery's row said when the workflow was started (domain/delivery/view). */
export type DeliverWebhookInput = AttemptTimes & {
  readonly deliveryId: string
  readonly view: DeliveryView
  /** Makes the first attempt a local activity. Release 0.1.0 ignores this field and uses an ordinary activity. */
  readonly isFirstLocal?: boolean
}

/**
 * Names the workflow code to Temporal. A worker with TEMPORAL_WORKER_DEPLOYMENT gives the name from that setting
 * instead. Temporal keeps the name with each task that a worker completes.
 */
export const WORKFLOW_CODE = { deploymentName: 'sales-data-webhooks', buildId: 'workflows-2' } as const

/**
 * Whether a task was completed by workflow code that makes first attempts in local activities. All such code names a
 * deployment, from WORKFLOW_CODE or from TEMPORAL_WORKER_DEPLOYMENT. Release 0.1.0 has only the SDK's build id.
 */
export const knowsLocalFirst = (version: WorkerDeploymentVersion | undefined): boolean =>
  version !== undefined && version.deploymentName !== ''

export type SendTestInput = AttemptTimes & { readonly deliveryId: string }

export type RetryNowSignal = { readonly retrySeq: number }

export type ExpireApiKeyInput = {
  readonly keyId: string
  /** ISO 8601, UTC. */
  readonly expiresAt: string
}

/** Id of the schedule that removes old history, and of its runs. */
export const PURGE_SCHEDULE_ID = 'purge-history'

/** Id of the workflow of a recovery. */
export const recoveryWorkflowId = (recoveryId: string): string => `recovery/${recoveryId}`

/** The query that answers how far a recovery has come. */
export const PROGRESS_QUERY = 'progress'

/** How far a recovery has come. It goes into workflow histories, so it has states and numbers only. */
export type RecoveryProgress = {
  readonly status: 'queued' | 'running' | 'done' | 'cancelled'
  readonly stoppedReason: string | null
  /** null while it is not known. */
  readonly total: number | null
  readonly queued: number
  /** What the recovery waits for (domain/recovery). Absent in runs of release 0.2.0. */
  readonly waitsFor?: string | null
}

/** `progress`: the latest progress, from the previous run or from the row. */
export type RecoverWebhookInput = { readonly recoveryId: string; readonly progress: RecoveryProgress }

export type RecoverInput = { readonly recoveryId: string }

/**
 * The result of one round of a recovery. `pages`: how many pages it queued. `isMore`: another round would have work at
 * once. Rounds of release 0.2.0 lack `isMore`.
 */
export type RecoverReport = {
  readonly progress: RecoveryProgress
  readonly pages: number
  readonly isMore?: boolean
}

/** The result of one round of the purge. Unless `isDone`, the workflow starts another round. */
export type PurgeReport = { readonly isDone: boolean }

export type AttemptInput = { readonly deliveryId: string }

/**
 * The failure of a first attempt. `code`: its code. `dueAt`: the row's next_retry_at as ISO 8601, UTC, absent after the
 * last attempt.
 */
type FailedFirst = { readonly kind: 'failed'; readonly code: string; readonly dueAt?: string }

/** The result of a first attempt. */
export type FirstReport = Exclude<AttemptReport, { kind: 'failed' }> | FailedFirst

/**
 * `failed`: how the first attempt failed, if attemptFirst made it. If so, the first try of attemptDelivery sends
 * nothing and throws this failure. So Temporal waits for the delay, and calls attemptDelivery again for the second
 * attempt.
 */
export type RetriesInput = AttemptInput & { readonly failed?: Required<FailedFirst> }

export type RequestRetryInput = AttemptInput & {
  /** Identifies the signal: a second request with the same key changes nothing. At most 64 characters. */
  readonly requestKey: string
  /** When the signal arrived. ISO 8601, UTC. */
  readonly arrivedAt: string
}

/**
 * - `queued`: the row has the request, and an attempt will serve it.
 * - `merged`: another retry request came shortly before and covers this one, so nothing changed.
 * - `refused`: the delivery succeeded, or the delivery or its webhook no longer exists.
 */
export type RequestRetryResult = 'queued' | 'merged' | 'refused'

/** The activities as the workflows call them. Temporal stores their errors, so the errors have only short texts. */
export type Activities = {
  /** Makes the first attempt. The endpoint's failure is a result; the activity throws only our own faults. */
  readonly attemptFirst: (input: AttemptInput) => Promise<FirstReport>
  /** Makes one attempt; see RetriesInput. A failed attempt throws FAILED_ATTEMPT, with the delay until the row's next_retry_at. */
  readonly attemptDelivery: (input: RetriesInput) => Promise<AttemptReport>
  /** Reads what the row asks for now. Temporal repeats it until the database answers. */
  readonly readDelivery: (input: AttemptInput) => Promise<DeliveryView>
  readonly requestRetry: (input: RequestRetryInput) => Promise<RequestRetryResult>
  /** Resolves to the milliseconds that are left of the grace period, or to 0 or less when the timer may end. */
  readonly expireApiKey: (input: { readonly keyId: string }) => Promise<number>
  readonly purge: () => Promise<PurgeReport>
  readonly recover: (input: RecoverInput) => Promise<RecoverReport>
}

/** Failure type of the attempt activity when the endpoint failed. It spends an attempt. */
export const FAILED_ATTEMPT = 'FailedAttempt'
/** Failure type of every activity for a fault of ours. It spends no attempt. */
const OWN_FAULT = 'OwnFault'

/** Failure type with which the workflow of a failed delivery ends. */
export const DELIVERY_FAILED = 'DeliveryFailed'

/**
 * Makes a failure that Temporal may keep: a type and a short message. Its stack has only the type and the message. The
 * stack has no frames, because frames would show paths of our machines. isFailureOf reads the type from the stack.
 *
 * @param options if `message` is absent, the type is the message
 */
export function failureOf(
  type: string,
  options: Omit<ApplicationFailureOptions, 'type'> = {},
): ApplicationFailure {
  const failure = ApplicationFailure.create({ message: type, ...options, type })
  failure.stack = `${type}: ${failure.message}`
  return failure
}

/** Whether an error is a failure of that type. Reads the stack, because errors from a workflow's thread lose `type`. */
export const isFailureOf = (type: string, error: unknown): boolean =>
  error instanceof Error && (error.stack?.startsWith(`${type}: `) ?? false)

/** Makes the failure for a fault of ours in an activity. The activity logs the cause, which Temporal must not see. */
export const ownFault = (options: Pick<ApplicationFailureOptions, 'nonRetryable' | 'category'> = {}) =>
  failureOf(OWN_FAULT, { message: 'internal error: see the log of the worker', ...options })

/** Computes the time limits of an attempt from the configuration. */
export const attemptTimes = (config: {
  readonly webhookTimeoutMs: number
  readonly recordingTimeoutMs: number
}): AttemptTimes => ({ startToCloseMs: config.webhookTimeoutMs + config.recordingTimeoutMs })

/** Id of the timer workflow of a rotated key. The id of a delivery's workflow is the delivery's id, without a prefix. */
export const keyRotationWorkflowId = (keyId: string): string => `key-rotation/${keyId}`

/** Id of the workflow that sends a test event. A manual retry of the test runs in another workflow, with the delivery's id. */
export const testWorkflowId = (deliveryId: string): string => `test/${deliveryId}`

/** Time that a test event needs in addition to the HTTP request, for example for its start in Temporal and its recording. */
const TEST_ALLOWANCE_MS = 10_000

/** How long a whole test event may take, in milliseconds: the HTTP deadline plus the allowance. */
export const testLimitMs = ({ webhookTimeoutMs }: { readonly webhookTimeoutMs: number }): number =>
  webhookTimeoutMs + TEST_ALLOWANCE_MS
