import type { Config } from '../config/index.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

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
  /** The span's place in its trace, to pass on to the work inside the span, to the event, or to an endpoint. */
  readonly traceparent: string
  end(end?: SpanEnd): void
}

/**
 * The traces of a process, in the terms of OpenTelemetry. No call waits: spans that end go into a queue of limited
 * size. Callers pass on the traceparent of a span, not an async context, because many callers share a transaction.
 */
export type Traces = {
  start(name: string, begin: SpanBegin): Span
  /**
   * Continues the trace of a caller, under the caller's ids. Our own sampler, not the caller, decides whether our spans
   * in this trace are sent.
   *
   * @param traceparent as the caller sent it
   * @returns the traceparent to go on with; undefined when `traceparent` is not valid
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
 * Runs work as a span, which is marked as failed if the work throws. Without traces it only runs the work, and passes
 * it the traceparent of the parent.
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

type TracedParts = { readonly config: Config; readonly log: Log; readonly metrics: Metrics }

/**
 * Adds traces to the parts of a process if OTEL_EXPORTER_OTLP_ENDPOINT is set. Otherwise loads nothing of OpenTelemetry.
 *
 * @param instanceId the `service.instance.id`
 */
export async function withTraces<Parts extends TracedParts>(
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

/** A place in a trace, as W3C Trace Context defines it. */
type TracePlace = { readonly traceId: string; readonly spanId: string; readonly flags: number }

/** Version, trace id, span id and flags. A higher version may append more. An id of zeros only is not valid. */
const FORM = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

const LONGEST_HEADER = 512

/**
 * Reads the header `traceparent` of W3C Trace Context.
 *
 * @returns undefined if it is missing or not valid. The standard asks to ignore it then
 */
export function parseTraceparent(text: string | null | undefined): TracePlace | undefined {
  if (!text || text.length > LONGEST_HEADER) return undefined
  // Stryker disable next-line ArrayDeclaration: any list without ids has the same effect
  const [, version, traceId, spanId, flags, more] = FORM.exec(text) ?? []
  // Stryker disable next-line LogicalOperator,ConditionalExpression: the form has all or none; this is for the compiler
  if (!traceId || !spanId || !flags) return undefined
  if (version === '00' && more !== undefined) return undefined
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}

/** The header for a place, in version 00: 55 characters. */
export const formatTraceparent = ({ traceId, spanId, flags }: TracePlace): string =>
  `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`

/** The header that a caller sent, in our form; undefined if it is missing or not valid. */
export function validTraceparent(text: string): string | undefined {
  const place = parseTraceparent(text)
  return place && formatTraceparent(place)
}

/** The id of the trace, for the log; undefined outside a trace. */
export const traceIdOf = (traceparent: string | null | undefined): string | undefined =>
  parseTraceparent(traceparent)?.traceId
