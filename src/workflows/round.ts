import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
  TemporalFailure,
} from '@temporalio/workflow'
import type { AttemptReport } from '../domain/delivery/view.ts'
import { doublingPause } from '../domain/doubling.ts'
import {
  type Activities,
  type AttemptInput,
  type AttemptTimes,
  FAILED_ATTEMPT,
  type RetriesInput,
} from './contract.ts'
import { attemptsOf, deferredDetails, faultDetails, type OpenView } from './current-details.ts'

/* What the run of a delivery does in one round, between two readings of its row. */

// A cancellation never aborts an attempt on the wire, because the answer decides how the delivery ends. It only ends a
// wait for the next attempt.
const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED

const FAULT_PAUSE_MS = { first: 1_000, longest: 60_000 }

type Input = AttemptInput & AttemptTimes

/** `success` is final. After `done` and `fault` the row says what to do next. */
type StepOutcome = 'success' | 'done' | 'fault'

/**
 * Waits for a wake-up or until the next attempt is due, or makes an attempt. Unless the attempt succeeds, the caller
 * then reads the row. After a `parked` or `queued` attempt the run waits only if the row still says so. If it waited
 * without that reading, a wake-up that came while the attempt was ending would be lost.
 */
export async function doWhatIsDue(input: Input, view: OpenView, isFirstLocal: boolean): Promise<StepOutcome> {
  if (view.isParked) {
    await condition(() => false)
  } else if (view.waitMs > 0) {
    await sleep(view.waitMs, { summary: 'wait until the next attempt is due' })
  } else {
    const result = await (isFirstLocal ? attemptLocallyFirst : attemptWithin)(input, view)
    if (result.kind === 'closed' && result.ending === 'success') return 'success'
    if (result.kind === 'deferred') {
      setCurrentDetails(deferredDetails(view, Date.now() + result.delayMs))
      await sleep(result.delayMs, { summary: 'wait: the attempt is not due, or was put off' })
    }
  }
  return 'done'
}

/**
 * Makes the first attempt as a local activity, within the workflow's first task. So start and attempt together cost
 * Temporal one call. If the endpoint fails, an ordinary activity reports that failure as its own first attempt, and
 * makes the retries. So Temporal counts and shows all attempts as if that activity had made the first one too.
 */
async function attemptLocallyFirst(input: Input, view: OpenView): Promise<AttemptReport> {
  const { deliveryId, startToCloseMs } = input
  const { attemptFirst } = proxyLocalActivities<Pick<Activities, 'attemptFirst'>>({
    startToCloseTimeout: startToCloseMs,
    retry: { maximumAttempts: 1 },
    cancellationType,
    summary: 'send the event: attempt 1 of the delivery',
  })
  const report = await attemptFirst({ deliveryId })
  if (report.kind !== 'failed') return report
  const { kind, code, dueAt } = report
  if (dueAt === undefined) return { kind: 'closed', ending: 'failed' }
  return attemptWithin(input, view, { kind, code, dueAt })
}

/**
 * Schedules the attempt activity with Temporal's own retry policy, limited to the attempts that the row has left. The
 * activity sets the delay after each failed attempt (`nextRetryDelay`). The intervals here apply only when a worker
 * died during an attempt. The summary says which attempts of the delivery the activity makes.
 */
function attemptWithin(
  { deliveryId, startToCloseMs }: Input,
  view: OpenView,
  failed?: RetriesInput['failed'],
): ReturnType<Activities['attemptDelivery']> {
  const { attemptDelivery } = proxyActivities<Pick<Activities, 'attemptDelivery'>>({
    startToCloseTimeout: startToCloseMs,
    retry: {
      maximumAttempts: view.remaining,
      initialInterval: '1s',
      backoffCoefficient: 2,
      maximumInterval: '1m',
    },
    cancellationType,
    summary: `send the event: ${attemptsOf(view)}`,
  })
  return attemptDelivery(failed ? { deliveryId, failed } : { deliveryId })
}

/** Returns `fault` for a fault of ours. Returns `done` for the endpoint's failure, and for a wait that a wake-up ended early. */
export function classify(error: unknown): StepOutcome {
  const isCancelRequested = error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED'
  if (isCancellation(error) || isCancelRequested) {
    if (CancellationScope.current().consideredCancelled)
      throw new CancelledFailure('The delivery was cancelled')
    return 'done'
  }
  // The SDK wraps the error of an ordinary activity in an ActivityFailure, but not the error of a local activity.
  if (!(error instanceof TemporalFailure)) throw error
  return isEndpointFailure(error) ? 'done' : 'fault'
}

/** Whether an attempt's error is the endpoint's failure, which is in the row. Every other error is our own fault. */
export const isEndpointFailure = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === FAILED_ATTEMPT

/** Waits 1 s, 2 s, 4 s … 60 s before the row is read again. A fault spends none of the delivery's attempts. */
export async function pauseAfterFault(view: OpenView, faults: number): Promise<void> {
  const pauseMs = doublingPause(FAULT_PAUSE_MS, faults - 1)
  setCurrentDetails(faultDetails(view, Date.now() + pauseMs))
  await sleep(pauseMs, { summary: 'pause after an internal error' })
}
