import type { Deps } from './deps.ts'

/** The attributes of a span: only ids, numbers and short codes. Undefined attributes are left out. */
export type SpanFacts = Readonly<Record<string, string | number | undefined>>

type SpanBegin = {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal'
  /** The traceparent of the parent span. Without a parent a trace begins here. */
  readonly parent?: string | null | undefined
  /** By default now. */
  readonly startedAt?: Date
  readonly facts?: SpanFacts
}

type SpanEnd = {
  readonly name?: string
  readonly facts?: SpanFacts | undefined
  /** A short code. It marks the span as failed. */
  readonly error?: string | undefined
}

/** A span that runs. It is sent only after `end`. */
type Span = {
  /** The span's place in its trace, to pass on to the work within, to the event, or to an endpoint. */
  readonly traceparent: string
  end(end?: SpanEnd): void
}

/**
 * The traces of a process, in the terms of OpenTelemetry. No call waits: spans that end go into a queue of limited size.
 * Callers pass a span on as its traceparent and never by an async context, because many callers share a transaction.
 */
export type Traces = {
  start(name: string, begin: SpanBegin): Span
  /**
   * Continues the trace of a caller, under the caller's ids. Our own sampler, not the caller, decides whether its spans
   * are sent.
   *
   * @param traceparent as the caller sent it
   * @returns the traceparent to go on with; undefined when the caller's is not valid
   */
  accept(traceparent: string): string | undefined
  /** Sends the spans that are left, by default for a second at most. Never rejects. */
  stop(withinMs?: number): Promise<void>
}

type Traced<Result> = {
  readonly work: (traceparent: string | null | undefined) => Promise<Result>
  /** Returns what the result adds to the span. */
  readonly describe?: (result: Result) => Pick<SpanEnd, 'facts' | 'error'>
}

/**
 * Runs work as a span, which is marked as failed if the work throws. Without traces it only runs the work, with the span's parent.
 *
 * @throws what the work throws
 */
export async function traced<Result>(
  traces: Traces | undefined,
  name: string,
  begin: SpanBegin,
  { work, describe }: Traced<Result>,
): Promise<Result> {
  if (!traces) return work(begin.parent)
  const span = traces.start(name, begin)
  try {
    const result = await work(span.traceparent)
    span.end(describe?.(result))
    return result
  } catch (error) {
    span.end({ error: codeOf(error) })
    throw error
  }
}

/** Returns a code and never the message, because the message may quote what a caller sent. */
const codeOf = (error: unknown): string => {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown'
}

/**
 * Adds traces to the parts of a process if OTEL_EXPORTER_OTLP_ENDPOINT is set. Otherwise loads nothing of OpenTelemetry.
 *
 * @param instanceId the `service.instance.id`
 */
export async function withTraces<Parts extends Deps>(
  parts: Parts,
  service: 'api' | 'worker',
  instanceId: string,
): Promise<Parts> {
  const { tracing } = parts.config
  if (!tracing) return parts
  const { startTraces } = await import('./open-telemetry.ts')
  parts.log.info({ sampler: tracing.sampler, share: tracing.share }, 'traces are sent')
  return { ...parts, traces: startTraces(tracing, { service, instanceId }, parts) }
}
