import type { BufferedMetricUpdate } from '@temporalio/worker'
import { Registry, type Counter, type Gauge, type Histogram } from 'prom-client'
import { createInstruments } from '../../deps/instruments.ts'
import type { ShownMetrics } from '../health.ts'

const READ_EVERY_MS = 1_000

/**
 * How many sets of labels are kept at most. A worker of ours has about 100. Foreign types of workflows on our task
 * queue could add more.
 */
const MOST_LABEL_SETS = 500

/** The labels that are shown. Their values come from our code and from Temporal's API, not from customers. */
export const SDK_LABELS = [
  ...['namespace', 'task_queue', 'worker_type', 'poller_type', 'workflow_type', 'activity_type'],
  ...['operation', 'status_code', 'failure_reason'],
] as const

const BUCKETS_S = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 3600]

/** The buckets of histograms that do not measure time, but for example bytes. */
const BUCKETS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7]

/** The counters that /metrics declares before their first update, because dashboards and alerts query them. */
const FROM_THE_START = {
  temporal_request_failure: 'Count of client request failures by rpc name',
  temporal_workflow_task_execution_failed: 'Count of workflow task executions that failed',
}

type Label = (typeof SDK_LABELS)[number]
type Labels = Partial<Record<Label, string>>
type Instrument = Counter<Label> | Gauge<Label> | Histogram<Label>
type Metric = BufferedMetricUpdate['metric']

/**
 * The metrics of Temporal's SDK, under the names in Temporal's documentation: `temporal_…`, times in seconds. The SDK
 * could serve them itself. We read its buffer instead, so that they need no further port and METRICS_TOKEN guards them.
 */
export class SdkMetrics {
  readonly #readBuffer: () => Iterable<BufferedMetricUpdate>
  readonly #registry = new Registry()
  readonly #instruments = createInstruments(this.#registry)
  readonly #byName = new Map<string, Instrument>()
  readonly #labelSets = new Set<string>()
  /** The labels by the object from which they were read: the SDK uses the same object for the same labels. */
  readonly #labelsOf = new WeakMap<object, Labels | 'too many'>()
  readonly #lost = this.#instruments.counter(
    'temporal_sdk_metric_updates_lost_total',
    'Updates of the metrics of the SDK that were lost: they came too fast, or with too many labels.',
  )

  /** @param readBuffer empties the buffer of the SDK; durations in it are in seconds */
  constructor(readBuffer: () => Iterable<BufferedMetricUpdate>) {
    this.#readBuffer = readBuffer
    for (const [name, description] of Object.entries(FROM_THE_START))
      this.#instrument({ name, kind: 'counter', valueType: 'int', description })
  }

  /** Reads the buffer once a second for as long as the process lives. */
  start(): void {
    setInterval(() => this.#read(), READ_EVERY_MS).unref()
  }

  /** Counts an update that was lost. */
  lose(): void {
    this.#lost.inc()
  }

  #read(): void {
    for (const { metric, value, attributes } of this.#readBuffer()) {
      const labels = this.#labels(attributes)
      if (labels === 'too many') this.lose()
      else record(this.#instrument(metric), labels, value, metric.kind)
    }
  }

  /** For /metrics, adds these metrics to the metrics of another registry. */
  beside(other: Registry): ShownMetrics {
    return {
      contentType: other.contentType,
      metrics: async () => {
        this.#read()
        return `${await other.metrics()}\n${await this.#registry.metrics()}`
      },
    }
  }

  #labels(attributes: BufferedMetricUpdate['attributes']): Labels | 'too many' {
    const known = this.#labelsOf.get(attributes)
    if (known !== undefined) return known
    const shown = SDK_LABELS.flatMap((name): [string, string][] =>
      name in attributes ? [[name, String(attributes[name])]] : [],
    )
    const key = JSON.stringify(shown)
    const isRoom = this.#labelSets.has(key) || this.#labelSets.size < MOST_LABEL_SETS
    if (isRoom) this.#labelSets.add(key)
    const labels: Labels | 'too many' = isRoom ? Object.fromEntries(shown) : 'too many'
    this.#labelsOf.set(attributes, labels)
    return labels
  }

  #instrument(metric: Metric): Instrument {
    const known = this.#byName.get(metric.name) ?? this.#make(metric)
    this.#byName.set(metric.name, known)
    return known
  }

  #make({ name, kind, unit, description = name }: Metric): Instrument {
    const isTime = unit === 's'
    const { counter, gauge, histogram } = this.#instruments
    const labels = [...SDK_LABELS]
    if (kind === 'counter') return counter(`${name.replace(/_total$/, '')}_total`, description, labels)
    if (kind !== 'histogram') return gauge(name, description, labels)
    return histogram(isTime ? `${name}_seconds` : name, description, isTime ? BUCKETS_S : BUCKETS, labels)
  }
}

/** @param value the amount to add to a counter or an up-down counter; for other kinds the value itself */
function record(instrument: Instrument, labels: Labels, value: number, kind: string): void {
  if ('observe' in instrument) instrument.observe(labels, value)
  else if ('set' in instrument && kind !== 'up-down-counter') instrument.set(labels, value)
  else instrument.inc(labels, value)
}
