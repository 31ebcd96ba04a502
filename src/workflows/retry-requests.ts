import { HandlerUnfinishedPolicy } from '@temporalio/common'
import {
  condition,
  defineSignal,
  patched,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import { type Activities, SIGNALS } from './contract.ts'

const retry = defineSignal(SIGNALS.retry)

const { requestRetry } = proxyLocalActivities<Pick<Activities, 'requestRetry'>>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '1m' },
  summary: 'write the retry to the database',
})

/**
 * Handles the signal `retry`: like the api, writes each request to the row. It wakes the run when the row has the
 * request. Runs that began under release 0.1.0 ignored the signal. A replay of such a run ignores the same signals.
 */
export function handleRetryRequests(deliveryId: string, wake: () => void) {
  let received = 0
  let underWay = 0
  let latestMs = 0
  setHandler(
    retry,
    async () => {
      if (!patched('retry-signal')) return
      // Signals of one workflow task have the same time. They count as one request.
      if (latestMs === Date.now()) return
      latestMs = Date.now()
      received += 1
      underWay += 1
      const requestKey = `${workflowInfo().runId}/${received}`
      try {
        const arrivedAt = new Date(latestMs).toISOString()
        if ((await requestRetry({ deliveryId, requestKey, arrivedAt })) === 'queued') wake()
      } finally {
        underWay -= 1
      }
    },
    { unfinishedPolicy: HandlerUnfinishedPolicy.ABANDON },
  )
  return {
    /** Whether requests are being written to the row. */
    areUnderWay: () => underWay > 0,
    /** Resolves when all requests are written. Until then the run must not end or continue as a new run. */
    written: async (): Promise<void> => {
      if (underWay > 0) await condition(() => underWay === 0)
    },
  }
}
