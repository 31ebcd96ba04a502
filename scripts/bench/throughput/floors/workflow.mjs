// The code of the bare workflow. Temporal's sandbox runs it, so it imports nothing else.
import { proxyActivities } from '@temporalio/workflow'

const { nothing } = proxyActivities({ startToCloseTimeout: '30s' })

/** One activity, which does nothing. */
export async function bareWorkflow() {
  await nothing()
}
