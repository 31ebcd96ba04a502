import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
} from '@temporalio/workflow'
import type { Activities, AttemptResult } from '../activities/index.js'
import { FAILED_ATTEMPT, type AttemptInput, type AttemptTimes } from './contract.js'

/**
 * Schedules the attempt activity with Temporal's own retry policy, capped by the attempts that the row has left. The
 * delay after each failed attempt comes from the activity (`nextRetryDelay`): the intervals here only pace the
 * repeat of an attempt whose worker died.
 *
 * @param remaining attempts left, at least 1
 */
export function attemptWithin(
  { deliveryId, startToCloseMs }: AttemptInput & AttemptTimes,
  remaining: number,
): Promise<AttemptResult> {
  const { attemptDelivery } = proxyActivities<Pick<Activities, 'attemptDelivery'>>({
    startToCloseTimeout: startToCloseMs,
    retry: {
      maximumAttempts: remaining,
      initialInterval: '1s',
      backoffCoefficient: 2,
      maximumInterval: '1m',
    },
    // An attempt on the wire is never cut: its answer decides. Only a waiting one is cancelled.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: remaining === 1 ? 'send the event' : `send the event, up to ${remaining} attempts`,
  })
  return attemptDelivery({ deliveryId })
}

/** Whether an attempt's error is the endpoint's failure, which the row has; every other one is a fault of ours. */
export const isEndpointFailure = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === FAILED_ATTEMPT
