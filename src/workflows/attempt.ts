import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow'
import type { AttemptReport, DeliveryView } from '../domain/delivery/view.ts'
import {
  type Activities,
  type AttemptInput,
  type AttemptTimes,
  FAILED_ATTEMPT,
  type RetriesInput,
} from './contract.ts'
import { attemptsOf } from './current-details.ts'

// A cancellation never cuts an attempt on the wire, because its answer decides. It only ends a wait for the next one.
const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED

type OpenView = Extract<DeliveryView, { state: 'open' }>

/**
 * Makes the first attempt as a local activity, within the workflow's first task: start and attempt then cost Temporal one
 * call. If the endpoint fails, an ordinary activity reports that failure as its own first attempt, and makes the retries. So
 * Temporal counts and shows all attempts as if that activity had made the first one too.
 */
export async function attemptLocallyFirst(
  input: AttemptInput & AttemptTimes,
  view: OpenView,
): Promise<AttemptReport> {
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
 * activity sets the delay after each failed attempt (`nextRetryDelay`). The intervals here apply only when a worker died
 * during an attempt. The summary says which attempts of the delivery these are.
 */
export function attemptWithin(
  { deliveryId, startToCloseMs }: AttemptInput & AttemptTimes,
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

/** Whether an attempt's error is the endpoint's failure, which is in the row. Every other error is our own fault. */
export const isEndpointFailure = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === FAILED_ATTEMPT
