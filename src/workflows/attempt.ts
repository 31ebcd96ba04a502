import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
} from '@temporalio/workflow'
import type { DeliveryView } from '../domain/delivery/view.ts'
import { type Activities, FAILED_ATTEMPT, type AttemptInput, type AttemptTimes } from './contract.ts'
import { attemptsOf } from './current-details.ts'

/**
 * Schedules the attempt activity with Temporal's own retry policy, limited to the attempts that the row has left. The
 * activity sets the delay after each failed attempt (`nextRetryDelay`). The intervals here apply only when a worker died
 * during an attempt. The summary says which attempts of the delivery these are.
 */
export function attemptWithin(
  { deliveryId, startToCloseMs }: AttemptInput & AttemptTimes,
  view: Extract<DeliveryView, { state: 'open' }>,
): ReturnType<Activities['attemptDelivery']> {
  const { attemptDelivery } = proxyActivities<Pick<Activities, 'attemptDelivery'>>({
    startToCloseTimeout: startToCloseMs,
    retry: {
      maximumAttempts: view.remaining,
      initialInterval: '1s',
      backoffCoefficient: 2,
      maximumInterval: '1m',
    },
    // A cancellation never cuts an attempt on the wire, because its answer decides. It only ends a wait for the next one.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: `send the event: ${attemptsOf(view)}`,
  })
  return attemptDelivery({ deliveryId })
}

/** Whether an attempt's error is the endpoint's failure, which is in the row. Every other error is our own fault. */
export const isEndpointFailure = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === FAILED_ATTEMPT
