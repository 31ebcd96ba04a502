import {
  ActivityFailure,
  ApplicationFailure,
  defineSignal,
  proxyActivities,
  setHandler,
  sleep,
} from '@temporalio/workflow'
import type { Activities } from '../activities/index.js'
import { FAILED_ATTEMPT, SIGNALS, type RetryNowSignal, type SendTestInput } from './contract.js'

const retryNow = defineSignal<[RetryNowSignal]>(SIGNALS.retryNow)

const LONGEST_DEFERRAL_MS = 1_000

/**
 * Sends one test event now. Its answer is in the delivery's row; an endpoint that fails is a normal end, because the
 * caller waits for exactly that. A manual retry that arrives meanwhile is served here, because it is signalled here.
 */
export async function sendTest({ deliveryId, startToCloseMs }: SendTestInput): Promise<void> {
  const { attemptDelivery } = proxyActivities<Pick<Activities, 'attemptDelivery'>>({
    startToCloseTimeout: startToCloseMs,
    retry: { maximumAttempts: 1 },
    summary: 'test event',
  })
  let retries = 0
  setHandler(retryNow, () => void (retries += 1))
  for (;;) {
    const retriesBefore = retries
    try {
      const result = await attemptDelivery({ deliveryId })
      if (result.kind !== 'deferred') return
      await sleep(Math.min(result.delayMs, LONGEST_DEFERRAL_MS))
    } catch (error) {
      if (!isEndpointFailure(error)) throw error
      if (retries === retriesBefore) return
    }
  }
}

const isEndpointFailure = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === FAILED_ATTEMPT
