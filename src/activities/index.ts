import { activityInfo, type ApplicationFailure } from '@temporalio/activity'
import { ApplicationFailureCategory } from '@temporalio/common'
import { findLatestError } from '../db/delivery/attempts.ts'
import { isWaitingForSlot } from '../db/outbox/due-queue.ts'
import { readGateRows, type GateRows } from '../db/delivery/gate-rows.ts'
import type { SystemDeps } from '../deps/deps.ts'
import type { LocalAttempts, TemporalPace } from '../attempts/temporal-load.ts'
import {
  failureOfDelivery,
  viewDelivery,
  type DeliveryView,
  type AttemptReport,
} from '../domain/delivery/view.ts'
import {
  FAILED_ATTEMPT,
  failureOf,
  ownFault,
  type Activities,
  type AttemptInput,
  type FirstReport,
  type RetriesInput,
} from '../workflows/contract.ts'
import type { Attempts } from '../attempts/attempt-delivery.ts'
import { sharedFaultIn } from '../attempts/fault-log.ts'
import { createPurge } from './purge.ts'
import { recover } from './recover.ts'
import { createRetryRequest } from './request-retry.ts'
import { recordKeyExpiry } from '../db/key/expiry.ts'

/**
 * Connects the activities to the parts of the process. Temporal stores the errors of activities, so the activities
 * throw only short texts.
 */
export function createActivities(
  deps: SystemDeps,
  attempts: Pick<Attempts, 'make'>,
  { pace, local }: { readonly pace: TemporalPace; readonly local: LocalAttempts },
): Activities {
  const { db, temporal, log, clock } = deps
  const requestRetry = createRetryRequest(deps)
  const purge = createPurge(deps)

  /** Ends the workflow of a deleted webhook's delivery as Canceled. Only a request to Temporal can do that. */
  async function cancelOwnWorkflow(): Promise<void> {
    const { workflowId, runId } = activityInfo().workflowExecution ?? {}
    if (workflowId) await temporal.workflow.getHandle(workflowId, runId).cancel()
  }

  async function viewRows({ delivery, webhook, tenant, now }: GateRows): Promise<DeliveryView> {
    const isQueued = await isWaitingForSlot(db, delivery.id)
    const error = await findLatestError(db, tenant, delivery)
    const view = viewDelivery(delivery, webhook, now, { isQueued, error })
    if (view.state === 'open' || view.ending !== 'failed') return view
    return { ...view, reason: failureOfDelivery(delivery, error) }
  }

  /** Makes an attempt within the limit that was set when the workflow started: this worker's settings may differ. */
  async function attempt(deliveryId: string): Promise<AttemptReport> {
    pace.reached(deliveryId)
    const limitMs = activityInfo().startToCloseTimeoutMs
    const report = await attempts.make(deliveryId, limitMs).catch(throwAttemptFault)
    if (report.kind === 'closed' && report.ending === 'cancelled') await cancelOwnWorkflow()
    return report
  }

  async function readDelivery({ deliveryId }: AttemptInput): Promise<DeliveryView> {
    const rows = await readGateRows(db, deliveryId)
    const view: DeliveryView = rows
      ? await viewRows(rows)
      : { state: 'closed', ending: 'cancelled', retrySeq: 0 }
    if (view.state === 'closed' && view.ending === 'cancelled') await cancelOwnWorkflow()
    return view
  }

  /** Handles a fault of ours in an activity. Only our log gets the cause. */
  const fault =
    (message: string, ids: object = {}) =>
    (error: unknown): never => {
      log.warn({ err: error, ...ids }, message)
      throw ownFault()
    }

  return {
    async attemptFirst({ deliveryId }: AttemptInput): Promise<FirstReport> {
      const report = await local.make(deliveryId, () => attempt(deliveryId))
      if (report.kind !== 'failed') return report
      const { kind, code, delayMs } = report
      if (delayMs === undefined) return { kind, code }
      return { kind, code, dueAt: new Date(clock().getTime() + delayMs).toISOString() }
    },

    async attemptDelivery({ deliveryId, failed }: RetriesInput): Promise<AttemptReport> {
      if (failed && activityInfo().attempt === 1)
        throw failedAttempt(failed.code, Date.parse(failed.dueAt) - clock().getTime())
      const report = await attempt(deliveryId)
      if (report.kind === 'failed') throw failedAttempt(report.code, report.delayMs)
      return report
    },

    readDelivery: (input) =>
      readDelivery(input).catch(fault('the delivery could not be read', { delivery_id: input.deliveryId })),

    requestRetry: (input) =>
      requestRetry(input).catch(
        fault('a retry signal could not be carried out yet', { delivery_id: input.deliveryId }),
      ),

    expireApiKey: ({ keyId }) =>
      recordKeyExpiry(db, keyId).catch(
        fault('the end of a grace period could not be recorded', { key_id: keyId }),
      ),

    purge: () => purge().catch(fault('old history could not be removed')),

    recover: (input) =>
      recover({ ...deps, pace }, input).catch(
        fault('a recovery could not go on; it is tried again', { recovery_id: input.recoveryId }),
      ),
  }
}

/** BENIGN, because an endpoint's failure must raise no alarm of ours. The message is a code such as `http_500`. */
function failedAttempt(code: string, delayMs: number | undefined): ApplicationFailure {
  return failureOf(FAILED_ATTEMPT, {
    message: code,
    category: ApplicationFailureCategory.BENIGN,
    ...(delayMs === undefined ? { nonRetryable: true } : { nextRetryDelay: Math.max(delayMs, 1) }),
  })
}

/**
 * Our own fault must not count against Temporal's limit of attempts. So Temporal does not repeat the activity, and the
 * workflow continues after a pause. A shared fault is BENIGN, so that the SDK does not log it for each attempt. Our own
 * log has a line about it at intervals (attempts/fault-log.ts).
 */
function throwAttemptFault(error: unknown): never {
  const isShared = sharedFaultIn(error) !== undefined
  throw ownFault({ nonRetryable: true, ...(isShared && { category: ApplicationFailureCategory.BENIGN }) })
}
