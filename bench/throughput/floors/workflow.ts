// The code of the bare workflows. Temporal's sandbox runs it, so it imports nothing else.
import { proxyActivities, proxySinks, type Sinks } from '@temporalio/workflow'

type Activities = { nothing(): Promise<void> }
type BenchSinks = Sinks & { bench: { done(): void } }

const { nothing } = proxyActivities<Activities>({ startToCloseTimeout: '30s' })
const { bench } = proxySinks<BenchSinks>()

/** One activity, which does nothing. */
export async function bareWorkflow(): Promise<void> {
  await nothing()
}

/** Nothing at all. A sink tells the benchmark; Temporal hears nothing of it. */
export function emptyWorkflow(): Promise<void> {
  bench.done()
  return Promise.resolve()
}
