import { activityInfo, type ApplicationFailure } from '@temporalio/activity'
import { ApplicationFailureCategory } from '@temporalio/common'
import { findLatestError } from '../db/delivery/attempts.js'
import { isWaitingForSlot } from '../db/system/due-queue.js'
import { readGateRows, type GateRows } from '../db/system/gate-rows.js'
import type { Deps } from '../process/deps.js'
import { failureOfDelivery, viewDelivery, type DeliveryView } from '../domain/delivery/view.js'
import { FAILED_ATTEMPT, failureOf, ownFault, type AttemptInput } from '../workflows/contract.js'
import type { Attempt } from '../attempts/attempt-delivery.js'
import type { AttemptReport } from '../attempts/attempt-report.js'
import { createKeyExpiry } from './expire-api-key.js'
import { createPurge } from './purge.js'
import { createRetryRequest } from './request-retry.js'
import { sharedFaultIn, WorkerFaultLog } from './worker-fault-log.js'

/** What an attempt gives back when it did not simply fail; a failed attempt is thrown, see FAILED_ATTEMPT. */
export type AttemptResult = Exclude<AttemptReport, { readonly kind: 'failed' }>

/** The activities as the workflows call them. */
export type Activities = ReturnType<typeof createActivities>

/** Binds the activities to the process's parts. What they throw becomes text in Temporal, so it is a short code. */
export function createActivities(deps: Deps, attempt: Attempt) {
  const { db, temporal, log } = deps
  const faultLog = new WorkerFaultLog(deps)

  /** Closes the run of a deleted webhook's delivery as Cancelled, which only a request can do. */
  async function cancelOwnWorkflow(): Promise<void> {
    const { workflowId, runId } = activityInfo().workflowExecution ?? {}
    if (workflowId) await temporal.workflow.getHandle(workflowId, runId).cancel()
  }

  async function viewRows({ delivery, webhook, tenant, now }: GateRows): Promise<DeliveryView> {
    const view = viewDelivery(delivery, webhook, now, await isWaitingForSlot(db, delivery.id))
    if (view.state === 'open' || view.ending !== 'failed') return view
    const error = await findLatestError(db, tenant, delivery.id)
    return { ...view, reason: failureOfDelivery(delivery, error) }
  }

  return {
    /** One attempt. A failed one throws with the delay that its row has in next_retry_at. */
    async attemptDelivery({ deliveryId }: AttemptInput): Promise<AttemptResult> {
      // The caller's own limit, not that of this worker's settings: a workflow keeps what it was started with.
      const { startToCloseTimeoutMs } = activityInfo()
      const report = await attempt(deliveryId, startToCloseTimeoutMs).catch((error: unknown) => {
        faultLog.tell(deliveryId, error)
        throw attemptFault(error)
      })
      if (report.kind === 'failed') throw failedAttempt(report.code, report.delayMs)
      if (report.kind === 'closed' && report.ending === 'cancelled') await cancelOwnWorkflow()
      return report
    },

    /** What the row asks for now. Retried by Temporal until the database answers. */
    async readDelivery({ deliveryId }: AttemptInput): Promise<DeliveryView> {
      try {
        const rows = await readGateRows(db, deliveryId)
        const view: DeliveryView = rows
          ? await viewRows(rows)
          : { state: 'closed', ending: 'cancelled', retrySeq: 0 }
        if (view.state === 'closed' && view.ending === 'cancelled') await cancelOwnWorkflow()
        return view
      } catch (error) {
        log.warn({ err: error, delivery_id: deliveryId }, 'the delivery could not be read')
        throw ownFault()
      }
    },

    requestRetry: createRetryRequest(deps),
    expireApiKey: createKeyExpiry(deps),
    purge: createPurge(deps),
  }
}

/** BENIGN: an endpoint's failure is no alarm of ours. The message is a code such as `http_500`, never a body. */
function failedAttempt(code: string, delayMs: number | undefined): ApplicationFailure {
  return failureOf(FAILED_ATTEMPT, {
    message: code,
    category: ApplicationFailureCategory.BENIGN,
    ...(delayMs === undefined ? { nonRetryable: true } : { nextRetryDelay: Math.max(delayMs, 1) }),
  })
}

/**
 * Our own fault must not count against Temporal's attempt limit, so it is final there and the workflow goes on after a
 * pause. BENIGN where the log has few lines for many attempts: the SDK would write one for each.
 */
const attemptFault = (error: unknown): ApplicationFailure =>
  ownFault({
    nonRetryable: true,
    ...(sharedFaultIn(error) !== undefined && { category: ApplicationFailureCategory.BENIGN }),
  })
