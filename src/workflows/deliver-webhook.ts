import { ApplicationFailureCategory } from '@temporalio/common'
import {
  CancellationScope,
  continueAsNew,
  defineSignal,
  patched,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { DeliveryView } from '../domain/delivery/view.ts'
import {
  type Activities,
  DELIVERY_FAILED,
  failureOf,
  knowsLocalFirst,
  SIGNALS,
  type DeliverWebhookInput,
  type RetryNowSignal,
} from './contract.ts'
import { closedDetails, openDetails } from './current-details.ts'
import { handleRetryRequests } from './retry-requests.ts'
import { classify, doWhatIsDue, pauseAfterFault } from './round.ts'

const retryNow = defineSignal<[RetryNowSignal]>(SIGNALS.retryNow)
const resume = defineSignal(SIGNALS.resume)

const { readDelivery } = proxyLocalActivities<Pick<Activities, 'readDelivery'>>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '1m' },
  summary: 'read the delivery from the database',
})

/**
 * One delivery, from its first attempt to its end. Each round of the loop does what the delivery's row asks for, and then
 * reads the row again. A signal cuts a wait short, so that the row is read at once.
 */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<'success'> {
  const { deliveryId } = input
  let wakeUps = 0
  let knownRetrySeq = input.view.retrySeq
  let wait: CancellationScope | undefined
  const wake = () => {
    wakeUps += 1
    wait?.cancel()
  }
  // Wake-ups that `input` may not reflect. The first `resume` does not count, because it may have started this run with
  // this input. But the first `resume` counts if the input is parked, because a retry may have started the run. It also
  // counts if this run continues another one.
  let newerWakeUps = 0
  const waitsForResume = isParked(input.view) || workflowInfo().continuedFromExecutionRunId !== undefined
  setHandler(resume, () => {
    if (wakeUps > 0 || waitsForResume) newerWakeUps += 1
    wake()
  })
  setHandler(retryNow, ({ retrySeq }) => {
    // The row has shown this number before, so that request is served or being served. A repeated call of the relay
    // changes nothing.
    if (retrySeq <= knownRetrySeq) return
    newerWakeUps += 1
    wake()
  })
  const requests = handleRetryRequests(deliveryId, wake)

  /** Reads the row. If a wake-up comes during the read, it reads the row again. */
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

  let isFirstLocal = mayBeginLocally(input)
  // The input may be stale: somebody may have requested a retry since, and its signal may have come already. So read
  // the row before ending or waiting.
  const mustRead =
    input.view.state === 'closed' ||
    (newerWakeUps > 0 && isWaiting(input.view) && patched('read-before-first-wait'))
  let view = mustRead ? await readRow() : input.view
  let faults = 0
  while (view.state === 'open') {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverWebhook>({ ...input, view })
    const open = view
    setCurrentDetails(openDetails(open, Date.now()))
    wait = new CancellationScope()
    const outcome = await wait.run(() => doWhatIsDue(input, open, isFirstLocal)).catch(classify)
    isFirstLocal = false
    if (outcome === 'success') {
      setCurrentDetails(closedDetails({ ending: 'success' }))
      if (requests.areUnderWay()) await requests.written()
      return outcome
    }
    faults = outcome === 'fault' ? faults + 1 : 0
    if (faults > 0) await pauseAfterFault(open, faults)
    view = await readRow()
  }
  setCurrentDetails(closedDetails(view))
  return endAs(view)
}

/**
 * Whether the first attempt is a local activity. Workers of release 0.1.0 use an ordinary activity, and a replay must make the
 * same choice. So it depends on which deployment completed the first task. A patch marker would cost two events of history.
 */
const mayBeginLocally = ({ view, isFirstLocal = false }: DeliverWebhookInput): boolean =>
  isFirstLocal &&
  view.state === 'open' &&
  view.attempts === 0 &&
  knowsLocalFirst(workflowInfo().currentDeploymentVersion)

const isParked = (view: DeliveryView): boolean => view.state === 'open' && view.isParked

const isWaiting = (view: DeliveryView): boolean =>
  isParked(view) || (view.state === 'open' && view.waitMs > 0)

/**
 * Ends the workflow. Operators find failed deliveries by ExecutionStatus="Failed", with the reason in the failure. They
 * find deliveries of deleted webhooks by ExecutionStatus="Canceled".
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
