import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { Deps } from '../../deps/deps.ts'
import { type Traces, traceIdOf } from '../../deps/traces.ts'
import type { Caller, State } from '../auth/caller.ts'
import { isId } from '../../domain/ids.ts'

/**
 * Measures and logs every request. The log has the pattern of the route. It never has the path or the query, because a caller
 * writes these.
 */
export const observe =
  ({ metrics, log, clock }: Deps): Middleware<State> =>
  async (ctx, next) => {
    const startedMs = performance.now()
    ctx.state.arrivedAt = clock()
    await next()
    const seconds = (performance.now() - startedMs) / 1000
    const route = ctx.state.route ?? 'none'
    metrics.httpRequestSeconds.observe({ route, method: ctx.method, status: ctx.status }, seconds)
    log.info(
      {
        request_id: ctx.state.requestId,
        method: ctx.method,
        route,
        status: ctx.status,
        duration_ms: Math.round(seconds * 1000),
        ...idsOf(ctx.state.caller),
        company_id: ctx.state.caller?.tenant.companyId,
        trace_id: ctx.state.traceId,
      },
      'request',
    )
  }

const idsOf = (caller: Caller | undefined) =>
  caller && isId('user', caller.id) ? { user_id: caller.id } : { key_id: caller?.id }

/** A request id that the client sends is used only if it has this form. Other characters could forge log lines. */
const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Sets the id of every request, and sends it back. The client's own id is used if it has the right form, otherwise a
 * new one.
 */
export const requestId = (): Middleware<State> => async (ctx, next) => {
  const given = ctx.get('X-Request-Id')
  ctx.state.requestId = ACCEPTED.test(given) ? given : randomUUID()
  ctx.set('X-Request-Id', ctx.state.requestId)
  await next()
}

/** Other methods are called `_OTHER` in spans, as OpenTelemetry demands: callers could invent any number of names. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Makes a span for every request of a known caller. It follows OpenTelemetry's conventions for HTTP servers. The span
 * has the pattern of the route, never the path, because a caller writes the path. Requests of unknown callers get no
 * span: they could fill the queue of spans.
 */
export function traceRequests({ publicUrl }: Deps['config'], traces: Traces): Middleware<State> {
  const { protocol, hostname } = new URL(publicUrl)
  const ofServer = { 'url.scheme': protocol.slice(0, -1), 'server.address': hostname }
  return async (ctx, next) => {
    const method = METHODS.has(ctx.method) ? ctx.method : '_OTHER'
    const span = traces.start(method, {
      kind: 'server',
      parent: traces.accept(ctx.get('traceparent')),
      facts: { 'http.request.method': method, ...ofServer },
    })
    ctx.state.traceparent = span.traceparent
    ctx.state.traceId = traceIdOf(span.traceparent)
    await next()
    const { caller, route } = ctx.state
    if (!caller) return
    span.end({
      ...(route !== undefined && { name: `${method} ${route}` }),
      facts: {
        'http.route': route,
        'http.response.status_code': ctx.status,
        'sales_data.company_id': caller.tenant.companyId,
      },
      error: ctx.status >= 500 ? String(ctx.status) : undefined,
    })
  }
}
