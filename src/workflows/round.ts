import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  setCurrentDetails,
  sleep,
  TemporalFailure,
} from '@temporalio/workflow'
import type { DeliveryView } from '../domain/delivery/view.ts'
import { doublingPause } from '../domain/doubling.ts'
import { attemptLocallyFirst, attemptWithin, isEndpointFailure } from './attempt.ts'
import type { AttemptInput, AttemptTimes } from './contract.ts'
import { deferredDetails, faultDetails } from './current-details.ts'

/* What the run of a delivery does in one round, between two readings of its row. */

const FAULT_PAUSE_MS = { first: 1_000, longest: 60_000 }

/**
 * Waits for what the row waits for, or makes an attempt. Unless that succeeds, the caller reads the row afterwards. After a
 * `parked` or `queued` attempt the run waits only if the row then still says so. A wake-up may have come while the attempt
 * was ending, and would be lost otherwise.
 */
export async function doWhatIsDue(
  input: AttemptInput & AttemptTimes,
  view: Extract<DeliveryView, { state: 'open' }>,
  isFirstLocal: boolean,
): Promise<StepOutcome> {
  if (view.isParked) {
    await condition(() => false)
  } else if (view.waitMs > 0) {
    await sleep(view.waitMs, { summary: 'wait until the next attempt is due' })
  } else {
    const result = await (isFirstLocal ? attemptLocallyFirst : attemptWithin)(input, view)
    if (result.kind === 'closed' && result.ending === 'success') return 'success'
    if (result.kind === 'deferred') {
      setCurrentDetails(deferredDetails(view, Date.now() + result.delayMs))
      await sleep(result.delayMs, {
        summary: 'wait: the attempt is not due, or was put off',
      })
    }
  }
  return 'done'
}

/** A success is final; after everything else the row says what is next. */
type StepOutcome = 'success' | 'done' | 'fault'

/** `fault` for a fault of ours; `done` for the endpoint's failure and for a wait that was cut short: the row says what is next. */
export function classify(error: unknown): StepOutcome {
  if (
    isCancellation(error) ||
    (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED')
  ) {
    if (CancellationScope.current().consideredCancelled)
      throw new CancelledFailure('The delivery was cancelled')
    return 'done'
  }
  // An ordinary activity's error is wrapped in an ActivityFailure, a local activity's is not.
  if (!(error instanceof TemporalFailure)) throw error
  return isEndpointFailure(error) ? 'done' : 'fault'
}

/** Waits 1 s, 2 s, 4 s … 60 s before the row is read again. A fault spends none of the delivery's attempts. */
export async function pauseAfterFault(
  view: Extract<DeliveryView, { state: 'open' }>,
  faults: number,
): Promise<void> {
  const pauseMs = doublingPause(FAULT_PAUSE_MS, faults - 1)
  setCurrentDetails(faultDetails(view, Date.now() + pauseMs))
  await sleep(pauseMs, { summary: 'pause after an internal error' })
}
