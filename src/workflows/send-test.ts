import { proxyActivities, sleep } from '@temporalio/workflow'
import type { Activities, SendTestInput } from './contract.ts'
import { isEndpointFailure } from './round.ts'

const LONGEST_DEFERRAL_MS = 1_000

/**
 * Sends one test event now. The caller reads the answer from the delivery's row. An endpoint's failure ends the workflow
 * normally, because it is a result that the caller asked for.
 */
export async function sendTest({ deliveryId, startToCloseMs }: SendTestInput): Promise<void> {
  const { attemptDelivery } = proxyActivities<Pick<Activities, 'attemptDelivery'>>({
    startToCloseTimeout: startToCloseMs,
    retry: { maximumAttempts: 1 },
    summary: 'send the test event',
  })
  for (;;) {
    try {
      const result = await attemptDelivery({ deliveryId })
      if (result.kind !== 'deferred') return
      await sleep(Math.min(result.delayMs, LONGEST_DEFERRAL_MS))
    } catch (error) {
      if (isEndpointFailure(error)) return
      throw error
    }
  }
}
