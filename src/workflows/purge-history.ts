import { proxyActivities } from '@temporalio/workflow'
import type { Activities } from './contract.ts'

const { purge } = proxyActivities<Pick<Activities, 'purge'>>({
  startToCloseTimeout: '5m',
  retry: { initialInterval: '5s', maximumInterval: '5m' },
})

/** One run has at most this many rounds. Rows that are left wait for the next run of the schedule. */
const MOST_ROUNDS = 500

/** Removes history that is older than the retention, round by round. Runs by schedule. */
export async function purgeHistory(): Promise<void> {
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const { isDone } = await purge.executeWithOptions({ summary: `remove old history, round ${round}` }, [])
    if (isDone) return
  }
}
