import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { Registry } from 'prom-client'
import { collectProcessMetrics } from '../../../src/process/default-metrics.ts'

const BLOCKED_MS = 200
/** Between the beginning of a block and the measurement that was due next. */
const RESOLUTION_MS = 20

describe('the metrics of the event loop', () => {
  const registry = new Registry()
  collectProcessMetrics(registry)
  /** Reads all, which begins them anew. */
  async function readLags(): Promise<Record<string, number>> {
    const metrics = await registry.getMetricsAsJSON()
    const lags = metrics.filter(({ name }) => name.startsWith('nodejs_eventloop_lag_'))
    return Object.fromEntries(lags.map(({ name, values }) => [name, values[0]!.value]))
  }
  const name = (what: string) => `nodejs_eventloop_lag_${what}_seconds`

  // decision: Lag of the event loop
  it('show how long something held the process up, and 0 where nothing was measured', async () => {
    await readLags()
    // The first measurement after a reading only says from when on the next one counts.
    await pause(2 * RESOLUTION_MS)
    const untilMs = performance.now() + BLOCKED_MS
    while (performance.now() < untilMs);
    await pause(2 * RESOLUTION_MS)
    const lags = await readLags()
    expect(lags[name('max')]).to.be.at.least((BLOCKED_MS - RESOLUTION_MS) / 1_000)
    expect(lags[name('p99')]).to.be.at.least((BLOCKED_MS - RESOLUTION_MS) / 1_000)
    expect(lags[name('p50')]).to.be.below(lags[name('max')]!)

    const none = await readLags()
    for (const what of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
      expect(none[name(what)], what).to.equal(0)
  })
})
