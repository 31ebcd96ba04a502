import { traced, type SpanFacts, type Traces } from '../deps/traces.ts'
import type { GateRows } from '../db/delivery/gate-rows.ts'
import type { AttemptReport } from '../domain/delivery/view.ts'
import { answerIn, unreachableCause, type MadeAttempt } from '../domain/delivery/outcome.ts'
import type { AttemptUnderWay } from './attempt-under-way.ts'
import type { OpenGate } from './gate.ts'

/** A place in a trace, as a traceparent; null outside of traces. */
type Place = string | null

const OK_BELOW = 400
const HTTPS_PORT = 443

/**
 * Runs an attempt, which has its slot, as a span of the event's trace. The span of a direct attempt begins at the
 * claim. The span of a workflow's attempt begins at the gate. `work` gets the attempt with the traceparent of the span.
 */
export async function traceAttempt(
  traces: Traces | undefined,
  { rows: { delivery, tenant, traceparent }, verdict }: OpenGate,
  attempt: AttemptUnderWay,
  work: (placed: AttemptUnderWay) => Promise<AttemptReport>,
): Promise<AttemptReport> {
  if (!traces) return work(attempt)
  return traced(
    traces,
    'attempt',
    {
      kind: 'consumer',
      parent: traceparent,
      startedAt: attempt.direct ? new Date(attempt.direct.claimedAtMs) : attempt.startedAt,
      facts: {
        'sales_data.company_id': tenant.companyId,
        'sales_data.webhook_id': delivery.webhookId,
        'sales_data.delivery_id': delivery.id,
        'sales_data.event_id': delivery.eventId,
        'sales_data.event_type': delivery.eventType,
        'sales_data.attempt': delivery.attempts + 1,
        'sales_data.trigger': verdict.trigger,
        'sales_data.made_by': attempt.direct ? 'worker' : 'workflow',
      },
    },
    {
      work: (place) => work(place ? { ...attempt, traceparent: place } : attempt),
      describe: (report) => ({ facts: { 'sales_data.report': report.kind } }),
    },
  )
}

/**
 * Runs the request of an attempt as a span that follows OpenTelemetry's conventions for HTTP clients. The span shows
 * only the origin of the URL, because path and query often contain a token.
 *
 * @param work gets the place in the trace that the request sends along
 */
export async function traceRequest(
  traces: Traces | undefined,
  { delivery, webhook, traceparent }: GateRows,
  attempt: AttemptUnderWay,
  work: (place: Place) => Promise<MadeAttempt | undefined>,
): Promise<MadeAttempt | undefined> {
  if (!traces) return work(traceparent)
  const parent = attempt.traceparent ?? traceparent
  return traced(
    traces,
    'POST',
    {
      kind: 'client',
      parent,
      facts: {
        'http.request.method': 'POST',
        ...addressOf(webhook.url),
        'http.request.resend_count': delivery.attempts > 0 ? delivery.attempts : undefined,
      },
    },
    { work: (place) => work(place ?? null), describe: (made) => (made ? describe(made) : {}) },
  )
}

function addressOf(text: string): SpanFacts {
  if (!URL.canParse(text)) return {}
  const { origin, hostname, port, pathname, search } = new URL(text)
  return {
    'server.address': hostname,
    'server.port': port === '' ? HTTPS_PORT : Number(port),
    'url.full': pathname + search === '/' ? `${origin}/` : `${origin}/REDACTED`,
  }
}

function describe({ outcome }: MadeAttempt): { facts: SpanFacts; error?: string | undefined } {
  const status = answerIn(outcome)?.status
  const facts = { 'http.response.status_code': status }
  if (status === undefined) return { facts, error: unreachableCause(outcome) }
  return { facts, error: status >= OK_BELOW ? String(status) : undefined }
}
