// The code of the bare workflows. Temporal's sandbox runs it, so it imports nothing else.
import { proxyActivities } from '@temporalio/workflow'

const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '30s' })

/** One activity, which does nothing. */
export async function bareWorkflow(): Promise<void> {
  await nothing()
}
