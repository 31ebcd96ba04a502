import Router from '@koa/router'
import Koa, { type Middleware } from 'koa'
import type { Deps } from '../process/deps.js'
import { ApiError, methodNotAllowed } from '../domain/errors.js'
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
import { serveRoute } from './routing/serve-route.js'
import type { UsageRecorder } from './auth/usage-recorder.js'

export type AppParts = { readonly usage: Pick<UsageRecorder, 'record'>; readonly answerHealth: AnswerHealth }

/**
 * The public API. The order of the middleware is the order in which a request is checked: read it top to bottom, then
 * domain/key/check-order and routing/serve-route for what happens inside a route.
 */
export function createApp(deps: Deps, { usage, answerHealth }: AppParts): Koa<State> {
  const table = routeTable(deps)
  const app = new Koa<State>()
  app.silent = true
  app.use(requestId())
  app.use(securityHeaders(deps.config))
  app.use(observe(deps))
  app.use(errorEnvelope(deps))
  app.use(health(deps, answerHealth))
  app.use(requireHttps(deps.config))
  app.use(serveOpenapi(table, deps.config.publicUrl))
  const limitDenial = createDenialLimit(deps.config.deniedCallsPerMinute)
  app.use(forApi(createAuthenticate(deps, { usage, limitDenial })))
  app.use(forApi(limitDenials(limitDenial)))
  app.use(routes(deps, table))
  app.use(nothingHere)
  return app
}

/** Every path under the API's prefix asks for a key, unknown paths too: without a key nobody learns which ones exist. */
const forApi =
  (middleware: Middleware<State>): Middleware<State> =>
  async (ctx, next) => {
    await (ctx.path.startsWith(API_PREFIX) ? middleware(ctx, next) : next())
  }

function routes(deps: Deps, table: readonly AnyRoute[]): Middleware<State> {
  const router = new Router({ sensitive: true, strict: true })
  const parts = {
    afterScope: createRateLimit(deps),
    idempotency: createIdempotency(deps),
    listLimit: createListLimit(),
    answerBudget: new AnswerBudget((bytes) => deps.metrics.unsentAnswerBytes.set(bytes)),
  }
  for (const route of table) {
    router.register(route.path, [route.method], serveRoute(route, parts) as never)
  }
  const dispatch = router.routes() as unknown as Middleware<State>
  const methodsOf = (path: string): string[] => [
    ...new Set(router.stack.filter((layer) => layer.match(path)).flatMap(({ methods }) => methods)),
  ]
  return async (ctx, next) => {
    const allowed = methodsOf(ctx.path)
    if (allowed.length === 0 || allowed.includes(ctx.method)) {
      await dispatch(ctx, next)
      return
    }
    const allow = [...allowed, 'OPTIONS'].join(', ')
    if (ctx.method !== 'OPTIONS') throw methodNotAllowed(allow)
    ctx.set('Allow', allow)
    ctx.status = 204
  }
}

const nothingHere: Middleware<State> = () => {
  throw new ApiError('NOT_FOUND', 'Not found.')
}
