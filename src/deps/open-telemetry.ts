import { randomBytes } from 'node:crypto'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags, type Context } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace'
import type { Tracing } from '../config/tracing.ts'
import { formatTraceparent, parseTraceparent, type Traces } from './traces.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { SpanQueue } from './span-queue.ts'
import { VERSION } from './version.ts'

/*
 * Only this file and span-queue.ts import OpenTelemetry. They are loaded only where traces are on. They patch nothing
 * and set nothing global: only our own calls begin spans.
 */

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
}
const LONGEST_VALUE = 512
/** How long a stop waits until the last spans are sent. */
const SPANS_LEFT_MS = 1_000

/** Starts the official SDK with a queue of limited size in front of its exporter. */
export function startTraces(
  tracing: Tracing,
  { service, instanceId }: { readonly service: 'api' | 'worker'; readonly instanceId: string },
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
): Traces {
  const exporter = new OTLPTraceExporter({ url: tracing.url, headers: { ...tracing.headers } })
  const queue = new SpanQueue(exporter, tracing, { log, count: metrics.countSpans })
  const { root, sampler } = samplersOf(tracing)
  const provider = new TracerProvider({
    sampler,
    spanProcessors: [queue],
    spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
    resource: resourceFromAttributes({
      'service.name': `sales-data-webhooks-${service}`,
      'service.version': VERSION,
      'service.instance.id': instanceId,
      ...tracing.resource,
    }),
  })
  const tracer = provider.getTracer('sales-data-webhooks', VERSION)
  return {
    start(name, { kind, parent, startedAt, facts }) {
      const span = tracer.startSpan(
        name,
        {
          kind: KINDS[kind],
          ...(facts && { attributes: facts }),
          ...(startedAt && { startTime: startedAt }),
        },
        contextOf(parent),
      )
      const { traceId, spanId, traceFlags: flags } = span.spanContext()
      return {
        traceparent: formatTraceparent({ traceId, spanId, flags }),
        end({ name: latestName, facts: more, error } = {}) {
          if (latestName !== undefined) span.updateName(latestName)
          if (more) span.setAttributes(more)
          if (error !== undefined) {
            span.setAttribute('error.type', error)
            span.setStatus({ code: SpanStatusCode.ERROR })
          }
          span.end()
        },
      }
    },
    accept(traceparent) {
      const place = parseTraceparent(traceparent)
      return (
        place &&
        formatTraceparent({ ...place, flags: isSampled(root) ? TraceFlags.SAMPLED : TraceFlags.NONE })
      )
    },
    stop: (withinMs = SPANS_LEFT_MS) => queue.stop(withinMs),
  }
}

function contextOf(traceparent: string | null | undefined): Context {
  const place = parseTraceparent(traceparent)
  if (!place) return ROOT_CONTEXT
  const { traceId, spanId, flags: traceFlags } = place
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

/** Samples by a random id of our own, because a caller could choose a trace id that is always sampled. */
const isSampled = (root: Sampler): boolean =>
  root.shouldSample(ROOT_CONTEXT, randomBytes(16).toString('hex'), '', SpanKind.SERVER, {}, []).decision ===
  SamplingDecision.RECORD_AND_SAMPLED

function samplersOf({ sampler: name, share }: Tracing): {
  readonly root: Sampler
  readonly sampler: Sampler
} {
  const root = name.endsWith('always_on')
    ? new AlwaysOnSampler()
    : name.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(share)
  return { root, sampler: name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root }
}
