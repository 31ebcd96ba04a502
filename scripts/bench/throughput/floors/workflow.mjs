// The code of the bare workflows. Temporal's sandbox runs it, so it imports nothing else.
import { proxyActivities, proxySinks } from '@temporalio/workflow'

const { nothing } = proxyActivities({ startToCloseTimeout: '30s' })
const { bench } = proxySinks()

/** One activity, which does nothing. */
export async function bareWorkflow() {
  await nothing()
}

/** Nothing at all. A sink tells the benchmark; Temporal hears nothing of it. */
export async function emptyWorkflow() {
  bench.done()
}
