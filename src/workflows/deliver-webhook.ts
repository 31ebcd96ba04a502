import { ApplicationFailureCategory } from '@temporalio/common'
import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  patched,
  proxyLocalActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../activities/index.js'
import type { DeliveryView } from '../domain/delivery/view.js'
import { attemptWithin, isEndpointFailure } from './attempt.js'
import {
  DELIVERY_FAILED,
  failureOf,
  SIGNALS,
  type AttemptInput,
  type AttemptTimes,
  type DeliverWebhookInput,
  type RetryNowSignal,
} from './contract.js'
import { handleRetryRequests } from './retry-requests.js'

const retryNow = defineSignal<[RetryNowSignal]>(SIGNALS.retryNow)
const resume = defineSignal(SIGNALS.resume)

const { readDelivery } = proxyLocalActivities<Pick<Activities, 'readDelivery'>>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '1m' },
  summary: 'read the delivery from the database',
})

const FIRST_FAULT_PAUSE_MS = 1_000
const LONGEST_FAULT_PAUSE_MS = 60_000

/**
 * One delivery, from its first attempt to its end. The row says what is due, Temporal says when. Each round of the loop
 * does what the row asks for. A signal cuts a wait short, so that the row is read again.
 */
export async function deliverWebhook(input: DeliverWebhookInput<DeliveryView>): Promise<'success'> {
  const { deliveryId } = input
  let wakeUps = 0
  let knownRetrySeq = input.view.retrySeq
  let wait: CancellationScope | undefined
  const wake = () => {
    wakeUps += 1
    wait?.cancel()
  }
  // Wake-ups that the input may not show. It is as new as the first `resume`, which may be the signal that starts the run.
  let newerWakeUps = 0
  setHandler(resume, () => {
    if (wakeUps > 0) newerWakeUps += 1
    wake()
  })
  setHandler(retryNow, ({ retrySeq }) => {
    // A number that the row showed before is served or being served, so a repeated call of the relay changes nothing.
    if (retrySeq <= knownRetrySeq) return
    newerWakeUps += 1
    wake()
  })
  const requests = handleRetryRequests(deliveryId, wake)

  /** Reads the row until nothing came meanwhile that it may not show yet. */
  async function readRow(): Promise<DeliveryView> {
    let view
    let wakeUpsBefore
    do {
      await requests.written()
      wakeUpsBefore = wakeUps
      view = await readDelivery({ deliveryId })
      knownRetrySeq = Math.max(knownRetrySeq, view.retrySeq)
    } while (wakeUps !== wakeUpsBefore || requests.areUnderWay())
    return view
  }

  // A closed delivery that was handed over may have been asked for a retry since. So no run ends on its input. And none
  // waits on an old one: the signal that would cut the wait short has come already.
  const mustRead =
    input.view.state === 'closed' ||
    (newerWakeUps > 0 && isWaiting(input.view) && patched('read-before-first-wait'))
  let view = mustRead ? await readRow() : input.view
  let faults = 0
  while (view.state === 'open') {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverWebhook>({ ...input, view })
    const open = view
    wait = new CancellationScope()
    const outcome = await wait.run(() => doWhatIsDue(input, open)).catch(classify)
    if (outcome === 'success') {
      if (requests.areUnderWay()) await requests.written()
      return outcome
    }
    faults = outcome === 'fault' ? faults + 1 : 0
    if (faults > 0) await pauseAfterFault(faults)
    view = await readRow()
  }
  return endAs(view)
}

const isWaiting = ({ isParked, waitMs }: Extract<DeliveryView, { state: 'open' }>): boolean =>
  isParked || waitMs > 0

/**
 * Waits for what the row waits for, or makes an attempt. Unless that succeeds, the row is read afterwards. A `parked` or
 * `queued` attempt waits only after that read, when the row still says so. So no wake-up is lost that came while the
 * attempt was ending.
 */
async function doWhatIsDue(
  input: AttemptInput & AttemptTimes,
  view: Extract<DeliveryView, { state: 'open' }>,
): Promise<StepOutcome> {
  if (view.isParked) {
    await condition(() => false)
  } else if (view.waitMs > 0) {
    await sleep(view.waitMs, { summary: 'wait until the next attempt is due' })
  } else {
    const result = await attemptWithin(input, view.remaining)
    if (result.kind === 'closed' && result.ending === 'success') return 'success'
    if (result.kind === 'deferred') {
      await sleep(result.delayMs, {
        summary: 'wait: the attempt is not due, or was put off',
      })
    }
  }
  return 'done'
}

/** A success is final; after everything else the row says what is next. */
type StepOutcome = 'success' | 'done' | 'fault'

/** Tells our own fault from the endpoint's failure and a wait cut short; after these two the row decides. */
function classify(error: unknown): StepOutcome {
  if (
    isCancellation(error) ||
    (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED')
  ) {
    if (CancellationScope.current().consideredCancelled)
      throw new CancelledFailure('The delivery was cancelled')
    return 'done'
  }
  if (!(error instanceof ActivityFailure)) throw error
  return isEndpointFailure(error) ? 'done' : 'fault'
}

/** Waits 1 s, 2 s, 4 s … 60 s before the row is read again. A fault spends none of the delivery's attempts. */
async function pauseAfterFault(faults: number): Promise<void> {
  const pauseMs = Math.min(FIRST_FAULT_PAUSE_MS * 2 ** (faults - 1), LONGEST_FAULT_PAUSE_MS)
  await sleep(pauseMs, { summary: 'pause after an internal error' })
}

/**
 * Operators find failed deliveries by ExecutionStatus="Failed", with the reason in the failure, and those of deleted
 * webhooks by "Canceled".
 */
async function endAs({ ending, reason }: Extract<DeliveryView, { state: 'closed' }>): Promise<'success'> {
  if (ending === 'success') return ending
  // The code that closes the row for a deleted webhook also requests this cancellation.
  if (ending === 'cancelled') await CancellationScope.current().cancelRequested
  throw failureOf(DELIVERY_FAILED, {
    ...(reason !== undefined && { message: reason }),
    nonRetryable: true,
    category: ApplicationFailureCategory.BENIGN,
  })
}
