import Joi from 'joi'
import { optional, parsedBy, type ValuesOf } from './rules.ts'

/** The samplers of OTEL_TRACES_SAMPLER that every SDK of OpenTelemetry has. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/**
 * Parses names with values, "a=1,b=2", each value percent-encoded, as OpenTelemetry writes them.
 *
 * @throws Error that says what the text must be. It quotes nothing of the text, because a value may be a token
 */
function parsePairs(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(pairs.map(parsePair))
}

function parsePair(text: string): [string, string] {
  const [, name, value = ''] = PAIR.exec(text) ?? []
  try {
    const decoded = decodeURIComponent(value)
    if (name !== undefined && !/[\r\n]/.test(decoded)) return [name, decoded]
  } catch {
    // Not percent-encoded: refused below.
  }
  throw new Error('must look like "name=value,other=value", the values percent-encoded')
}

const PAIR = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*([ -~]*?)\s*$/

/** At a stop the exporter sends all waiting spans at once. It can send 30 batches of 512 at a time, so no more may wait. */
const MOST_WAITING = 15_000

/** The rules of the variables for traces. Names and defaults are OpenTelemetry's own. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(Joi.string().uri({ scheme: ['http', 'https'] })),
  OTEL_EXPORTER_OTLP_HEADERS: parsedBy(parsePairs).default({}),
  OTEL_RESOURCE_ATTRIBUTES: parsedBy(parsePairs).default({}),
  OTEL_TRACES_SAMPLER: Joi.string()
    .valid(...SAMPLERS)
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: Joi.number().min(0).max(1).default(1),
  OTEL_BSP_MAX_QUEUE_SIZE: Joi.number().integer().min(1).max(MOST_WAITING).default(2048),
  OTEL_BSP_SCHEDULE_DELAY: Joi.number().integer().min(10).max(60_000).default(5000),
}

/** What a process needs to know to send traces. The delay is in milliseconds, the queue in spans. */
export type Tracing = NonNullable<ReturnType<typeof toTracing>>

/** @returns undefined where no traces are sent */
export function toTracing(v: ValuesOf<typeof tracingVariables>) {
  if (v.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined
  return {
    /** By the specification of OTLP the path of a signal comes after the address of the collector. */
    url: `${v.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`,
    headers: v.OTEL_EXPORTER_OTLP_HEADERS,
    resource: v.OTEL_RESOURCE_ATTRIBUTES,
    sampler: v.OTEL_TRACES_SAMPLER,
    share: v.OTEL_TRACES_SAMPLER_ARG,
    maxQueue: v.OTEL_BSP_MAX_QUEUE_SIZE,
    delayMs: v.OTEL_BSP_SCHEDULE_DELAY,
  }
}
