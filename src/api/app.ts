import Koa, { type Middleware } from 'koa'
import type { Context } from 'koa'
import { CompanyRate } from '../operations/minute-limits.ts'
import { COST_CLASSES, CostLimits } from '../operations/cost-limits.ts'
import { Feed } from '../operations/event/feed.ts'
import { FeedReaders } from '../operations/event/feed-readers.ts'
import type { Deps } from '../deps/deps.ts'
import { ApiError } from '../domain/errors.ts'
import { countedAddress, createRequestOrigin, requireHttps, securityHeaders } from './edge/request.ts'
import { AnswerBudget } from './edge/answer-budget.ts'
import { createAuthenticate, type AuthParts } from './auth/authenticate.ts'
import { countResponses } from './auth/usage-recorder.ts'
import type { State, Caller } from './auth/caller.ts'
import { createDenialLimit, limitDenials, createRateLimit } from './middleware/rate-limit.ts'
import type { FailureThrottle } from './auth/failure-throttle.ts'
import { createIdempotency } from './routing/idempotency.ts'
import { errorEnvelope } from './middleware/error-envelope.ts'
import { health, type HealthPaths } from './middleware/health.ts'
import { observe, requestId, traceRequests } from './middleware/observe.ts'
import { serveOpenapi } from './openapi/serve.ts'
import { type AnyRoute, dispatchTo } from './routing/route.ts'
import { API_PREFIX, routeTable } from './routes/index.ts'
import { costOf, serveRoute, type RouteAdmission, type RouteParts } from './routing/serve-route.ts'
import { RESOURCE_FAMILIES } from '../domain/event/resources.ts'
import { grants, holdsAnyWrite, type Scope } from '../domain/key/scopes.ts'
import { readBody } from './middleware/read-body.ts'

type AppParts = {
  readonly auth: AuthParts
  readonly health: HealthPaths
  /** The file with the OpenAPI document, which the build writes. Without the file, this process makes the document. */
  readonly descriptionFile?: string
  readonly costLimits?: CostLimits
  /** The requests that wait for new events of a feed. The process wakes and ends them. */
  readonly feedReaders?: FeedReaders
  /** Creates the middleware of /console, which may serve routes of the public API too. */
  readonly createConsole: (
    routes: readonly AnyRoute[],
    parts: RouteParts & { readonly countFailure: FailureThrottle },
  ) => Middleware<State>
}

/**
 * The public API and the console. The middleware stands in the order in which a request is checked. Read it from top to
 * bottom, then domain/key/check-order and routing/serve-route for the checks inside a route.
 */
export function createApp(
  deps: Deps,
  { auth, health: healthPaths, descriptionFile, createConsole, ...shared }: AppParts,
): Koa<State> {
  const { costLimits = new CostLimits(), feedReaders = new FeedReaders(deps) } = shared
  const table = routeTable(deps, new Feed(deps, costLimits, feedReaders))
  const { addressOf } = createRequestOrigin(deps.config)
  const parts: RouteParts = {
    idempotency: createIdempotency(deps),
    costLimits,
    limitByAddress: (cost, ctx, work) =>
      costLimits.run(cost, countedAddress(addressOf(ctx.req)), async (rest) => void (await work(rest))),
    answerBudget: new AnswerBudget((bytes) => deps.metrics.unsentAnswerBytes.set(bytes)),
  }
  const { countFailure } = auth
  const app = new Koa<State>()
  app.silent = true
  app.use(requestId())
  app.use(securityHeaders(deps.config))
  if (deps.traces) app.use(traceRequests(deps.config, deps.traces))
  app.use(observe(deps))
  app.use(countResponses(auth.usage))
  app.use(errorEnvelope(deps))
  app.use(health(deps, healthPaths, parts))
  app.use(requireHttps(deps.config))
  app.use(createConsole(table, { ...parts, countFailure }))
  app.use(serveOpenapi(table, deps.config.publicUrl, parts, descriptionFile))
  const limitDenial = createDenialLimit(deps.config.deniedCallsPerMinute)
  app.use(forApi(createAuthenticate(deps, { ...auth, limitDenial })))
  app.use(forApi(limitDenials(limitDenial)))
  app.use(routes(deps, table, parts))
  app.use(refuseUnknownPath)
  return app
}

/** Every path under the API's prefix requires a key, even an unknown path. So without a key nobody learns which paths exist. */
const forApi =
  (middleware: Middleware<State>): Middleware<State> =>
  async (ctx, next) => {
    await (ctx.path.startsWith(API_PREFIX) ? middleware(ctx, next) : next())
  }

function routes(deps: Deps, table: readonly AnyRoute[], parts: RouteParts): Middleware<State> {
  const limitRate = createRateLimit(deps.config.rateLimitPerMinute, 'key')
  const companyRate = new CompanyRate(deps)
  return dispatchTo(
    table.map((route) => {
      const admission: RouteAdmission = {
        permit: (ctx, caller) => checkScope(route, caller, ctx),
        admit: async (ctx, caller) => {
          await limitRate(ctx, caller.id)
          companyRate.take(caller.tenant.companyId, COST_CLASSES[costOf(route, ctx)].points)
        },
        admitBody: (caller, rawBody) => checkScopesOfBody(route, caller, rawBody),
        groupOf: ({ tenant }) => tenant.companyId,
      }
      return { path: route.path, method: route.method, serve: serveRoute(route, admission, parts) }
    }),
  )
}

const refuseUnknownPath: Middleware<State> = () => {
  throw new ApiError('NOT_FOUND', 'Not found.')
}

/** Checks the scopes that the route itself needs, whatever the body is. @throws ApiError INSUFFICIENT_PERMISSIONS */
async function checkScope(route: AnyRoute, caller: Caller, ctx: Context): Promise<void> {
  if (route.scope === 'any') return
  if (route.scope !== 'any-write') requireScope(route.scope, caller)
  else if (!holdsAnyWrite(caller.scopes)) throw lacks(await scopesAskedFor(route, ctx))
}

/** Checks whether the caller may send this body. @throws ApiError INSUFFICIENT_PERMISSIONS */
function checkScopesOfBody(route: AnyRoute, caller: Caller, rawBody: unknown): void {
  for (const scope of route.scopesOf?.(rawBody) ?? []) requireScope(scope, caller)
}

/**
 * The specification wants the needed scopes in the error message. Returns the scopes of the event types in the body. If
 * the body names no known type, or cannot be read, returns the write scopes of all families of records.
 */
async function scopesAskedFor(route: AnyRoute, ctx: Context): Promise<string> {
  const body = await readBody(ctx).catch(() => ({}))
  const scopes = route.scopesOf?.(body) ?? []
  return scopes.length > 0 ? scopes.join(', ') : `one of ${WRITE_SCOPES.join(', ')}`
}

const WRITE_SCOPES = Object.keys(RESOURCE_FAMILIES).map((family) => `write:${family}`)

function requireScope(scope: Scope, { scopes }: Caller): void {
  if (!grants(scopes, scope)) throw lacks(scope)
}

const lacks = (needed: string) =>
  new ApiError('INSUFFICIENT_PERMISSIONS', `This key lacks the required scope: ${needed}.`)
