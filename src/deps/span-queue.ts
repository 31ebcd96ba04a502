import { TraceFlags } from '@opentelemetry/api'
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace'
import type { Tracing } from '../config/tracing.ts'
import { LineInterval } from '../domain/line-interval.ts'
import { within } from '../domain/within.ts'
import type { Log } from './log.ts'

/** How many spans one request to the collector has at most. */
const BATCH = 512
/** How long a request to the collector may take, its repetitions included. */
const EXPORT_LIMIT_MS = 10_000
const LINE_EVERY_MS = 60_000
/** The value of ExportResultCode.SUCCESS, whose package is no dependency of ours. */
const EXPORTED = 0

/** What became of spans. */
export type SpanFate = 'sent' | 'failed' | 'dropped'

type Told = { readonly log: Log; readonly count: (fate: SpanFate, spans: number) => void }

/**
 * Puts a queue of limited size before the SDK's batches. Spans count as waiting until the collector has answered, so
 * that a slow collector cannot fill the memory. A span is dropped when the queue is full. Metrics count sent, failed
 * and dropped spans; the log has at most one line a minute.
 */
export class SpanQueue implements SpanProcessor {
  readonly #batches: BatchSpanProcessor
  readonly #maxQueue: number
  readonly #told: Told
  readonly #lines = new LineInterval(LINE_EVERY_MS)
  #waiting = 0

  constructor(exporter: SpanExporter, { maxQueue, delayMs }: Tracing, told: Told) {
    this.#maxQueue = maxQueue
    this.#told = told
    this.#batches = new BatchSpanProcessor({
      exporter: this.#counting(exporter),
      maxQueueSize: maxQueue,
      maxExportBatchSize: Math.min(BATCH, maxQueue),
      scheduledDelayMillis: delayMs,
      exportTimeoutMillis: EXPORT_LIMIT_MS,
    })
  }

  onStart(): void {
    // Only spans that have ended are sent.
  }

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return
    if (this.#waiting >= this.#maxQueue) {
      this.#told.count('dropped', 1)
      this.#tell('spans are dropped: the collector takes fewer than there are', undefined)
      return
    }
    this.#waiting += 1
    this.#batches.onEnd(span)
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush()
  }

  shutdown(): Promise<void> {
    return this.#batches.shutdown()
  }

  /** Sends the spans that are left, for `withinMs` at most. Never rejects: failures of the exporter are counted and logged. */
  async stop(withinMs: number): Promise<void> {
    await within(withinMs, this.shutdown(), () => undefined).catch(() => undefined)
    if (this.#waiting > 0)
      this.#told.log.warn(
        { spans: this.#waiting },
        'spans are lost: the collector did not take them before the stop',
      )
  }

  #counting(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          this.#waiting -= spans.length
          const code: number = result.code
          const isSent = code === EXPORTED
          this.#told.count(isSent ? 'sent' : 'failed', spans.length)
          if (!isSent) this.#tell('spans cannot be sent: the collector is away or refuses them', result.error)
          done(result)
        }),
      shutdown: () => exporter.shutdown(),
    }
  }

  #tell(message: string, error: Error | undefined): void {
    const leftOut = this.#lines.admit(performance.now())
    if (leftOut !== undefined) this.#told.log.warn({ err: error, left_out: leftOut }, message)
  }
}
