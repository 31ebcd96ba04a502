import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** How often the lag of the event loop is measured. Each measurement wakes an idle process, so this is not shorter. */
const RESOLUTION_MS = 20
/** prom-client measures the lag too, which cannot be switched off. At this interval its measurement costs nothing. */
const HARDLY_EVER_MS = 3_600_000
const NS_PER_MS = 1e6
const NS_PER_S = 1e9
const PERCENTILES = [50, 90, 99]

let ofProcess: Registry | undefined

/**
 * prom-client's default metrics of a process, but with our own measurement of the event loop's lag. All registries of a
 * process share one measurement, because its observers cannot be stopped.
 */
export function collectProcessMetrics(registry: Registry): void {
  ofProcess ??= measureProcess()
  for (const { name } of ofProcess.getMetricsAsArray()) {
    const metric = ofProcess.getSingleMetric(name)
    if (metric) registry.registerMetric(metric)
  }
}

function measureProcess(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: HARDLY_EVER_MS })
  measureEventLoopLag(registry)
  return registry
}

/**
 * Shows how late timers ran since the metrics were last read, under the names of prom-client's own metrics. Node's
 * histogram has the times between two measurements, so RESOLUTION_MS is subtracted: without lag the metrics show 0.
 */
function measureEventLoopLag(registry: Registry): void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  const lagOf = (measuredNs: number): number => Math.max(0, measuredNs - RESOLUTION_MS * NS_PER_MS) / NS_PER_S

  function gauge(name: string, help: string, collect?: () => void): Gauge {
    registry.removeSingleMetric(name)
    return new Gauge({ name, help, registers: [registry], ...(collect && { collect }) })
  }
  const since = 'of the event loop since the metrics were last read, in seconds.'
  const named = (name: string, what: string) =>
    gauge(`nodejs_eventloop_lag_${name}_seconds`, `${what} ${since}`)

  // This gauge reads the histogram for the other gauges too: a registry collects in the order of registration.
  const latest = gauge(
    'nodejs_eventloop_lag_seconds',
    'How late a callback ran that was due at once.',
    () => {
      const startMs = performance.now()
      setImmediate(() => latest.set((performance.now() - startMs) / 1_000))
      // Without a measurement the histogram's minimum is about 9e18, and its mean is NaN.
      const isMeasured = histogram.count > 0
      min.set(isMeasured ? lagOf(histogram.min) : 0)
      max.set(lagOf(histogram.max))
      mean.set(isMeasured ? lagOf(histogram.mean) : 0)
      stddev.set(isMeasured ? histogram.stddev / NS_PER_S : 0)
      for (const [percent, one] of percentiles) one.set(lagOf(histogram.percentile(percent)))
      histogram.reset()
    },
  )
  const min = named('min', 'The shortest lag')
  const max = named('max', 'The longest lag')
  const mean = named('mean', 'The mean lag')
  const stddev = named('stddev', 'The standard deviation of the lag')
  const percentiles = PERCENTILES.map(
    (percent) => [percent, named(`p${percent}`, `The ${percent}th percentile of the lag`)] as const,
  )
}
