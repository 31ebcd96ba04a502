import Koa, { type Middleware } from 'koa'
import type { Deps } from '../process/deps.js'
import { ApiError } from '../domain/errors.js'
import { AnswerBudget } from './edge/answer-budget.js'
import type { State } from './auth/caller.js'
import { createDenialLimit } from './auth/denial-limit.js'
import { createIdempotency } from './routing/idempotency.js'
import { createListLimit } from './routing/list-limit.js'
import { createAuthenticate } from './auth/authenticate.js'
import { limitDenials } from './middleware/denials.js'
import { errorEnvelope } from './middleware/error-envelope.js'
import { health, type AnswerHealth } from './middleware/health.js'
import { observe } from './middleware/observe.js'
import { createRateLimit } from './middleware/rate-limit.js'
import { requestId } from './middleware/request-id.js'
import { requireHttps } from './middleware/require-https.js'
import { securityHeaders } from './middleware/security-headers.js'
import { serveOpenapi } from './openapi/serve.js'
import type { AnyRoute } from './routing/route.js'
import { API_PREFIX, routeTable } from './routes/index.js'
import { dispatchTo } from './routing/dispatch.js'
import { checkScope, checkScopesOfBody } from './routing/scope-check.js'
import { serveRoute, type Admission, type RouteParts } from './routing/serve-route.js'
import type { UsageRecorder } from './auth/usage-recorder.js'

export type AppParts = {
  readonly usage: Pick<UsageRecorder, 'record'>
  readonly answerHealth: AnswerHealth
  /** Makes what serves /console; it may serve routes of the public API too. */
  readonly createConsole: (routes: readonly AnyRoute[], parts: RouteParts) => Middleware<State>
}

/**
 * The public API and the console. The order of the middleware is the order in which a request is checked: read it top to
 * bottom, then domain/key/check-order and routing/serve-route for what happens inside a route.
 */
export function createApp(deps: Deps, { usage, answerHealth, createConsole }: AppParts): Koa<State> {
  const table = routeTable(deps)
  const parts = {
    idempotency: createIdempotency(deps),
    listLimit: createListLimit(),
    answerBudget: new AnswerBudget((bytes) => deps.metrics.unsentAnswerBytes.set(bytes)),
  }
  const app = new Koa<State>()
  app.silent = true
  app.use(requestId())
  app.use(securityHeaders(deps.config))
  app.use(observe(deps))
  app.use(errorEnvelope(deps))
  app.use(health(deps, answerHealth))
  app.use(requireHttps(deps.config))
  app.use(createConsole(table, parts))
  app.use(serveOpenapi(table, deps.config.publicUrl))
  const limitDenial = createDenialLimit(deps.config.deniedCallsPerMinute)
  app.use(forApi(createAuthenticate(deps, { usage, limitDenial })))
  app.use(forApi(limitDenials(limitDenial)))
  app.use(routes(deps, table, parts))
  app.use(nothingHere)
  return app
}

/** Every path under the API's prefix asks for a key, unknown paths too: without a key nobody learns which ones exist. */
const forApi =
  (middleware: Middleware<State>): Middleware<State> =>
  async (ctx, next) => {
    await (ctx.path.startsWith(API_PREFIX) ? middleware(ctx, next) : next())
  }

function routes(deps: Deps, table: readonly AnyRoute[], parts: RouteParts): Middleware<State> {
  const limitRate = createRateLimit(deps.config.rateLimitPerMinute, 'key')
  return dispatchTo(
    table.map((route) => {
      const admission: Admission = {
        admit: async (ctx, caller) => {
          await checkScope(route, caller, ctx)
          await limitRate(ctx, caller.id)
        },
        admitBody: (caller, rawBody) => checkScopesOfBody(route, caller, rawBody),
      }
      return { path: route.path, method: route.method, serve: serveRoute(route, admission, parts) }
    }),
  )
}

const nothingHere: Middleware<State> = () => {
  throw new ApiError('NOT_FOUND', 'Not found.')
}
