import type { Middleware } from 'koa'
import type { Deps } from '../../deps/deps.ts'
import type { Traces } from '../../deps/traces.ts'
import { traceIdOf } from '../../domain/event/traceparent.ts'
import type { State } from '../auth/caller.ts'

/** Any other method is `_OTHER` by the conventions, because its text is the caller's. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Makes a span of every request of a known caller, by OpenTelemetry's conventions for HTTP servers. It has the route's pattern, never
 * the path, because a path holds text of the caller. Strangers get no span: they could fill the queue with spans.
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
