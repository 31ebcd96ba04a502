import { createServer } from 'node:http'
import Router from '@koa/router'
import Koa from 'koa'
import { AnswerBudget } from '../../src/api/edge/answer-budget.ts'
import { createDenialLimit } from '../../src/api/auth/denial-limit.ts'
import { CostLimits } from '../../src/operations/cost-limits.ts'
import { createAuthParts } from '../../src/api/auth/auth-parts.ts'
import { createAuthenticate } from '../../src/api/auth/authenticate.ts'
import { errorEnvelope } from '../../src/api/middleware/error-envelope.ts'
import { observe, requestId } from '../../src/api/middleware/observe.ts'
import { createRateLimit } from '../../src/api/middleware/rate-limit.ts'
import { securityHeaders } from '../../src/api/middleware/security-headers.ts'
import { routeTable } from '../../src/api/routes/index.ts'
import { checkScope } from '../../src/api/routing/scope-check.ts'
import { serveRoute } from '../../src/api/routing/serve-route.ts'
import { readConfig } from '../../src/config/index.ts'
import { buildDeps } from '../../src/deps/deps.ts'
import { lazyTemporalClient } from '../../src/process/temporal/client.ts'

/*
 * Serves GET /api-v1-webhooks as the api does, for auth.mjs: `with` authentication, or `without` it, for a caller that is
 * authenticated once and then given to every request. Prints `listening` when it takes requests.
 */

const [, , variant, port, keyText] = process.argv
const config = readConfig()
const deps = buildDeps(config, 'bench', lazyTemporalClient(config))
const auth = createAuthParts(deps)
const authenticate = createAuthenticate(deps, { ...auth, limitDenial: createDenialLimit(0) })

const app = new Koa()
app.silent = true
app
  .use(requestId())
  .use(securityHeaders({ trustedProxies: [] }))
  .use(observe(deps))
  .use(errorEnvelope(deps))
app.use(variant === 'with' ? authenticate : await takenForGranted())
const router = new Router()
const limitRate = createRateLimit(config.rateLimitPerMinute, 'key')
const route = routeTable(deps).find(({ operationId }) => operationId === 'listWebhooks')
router.get(
  route.path,
  serveRoute(
    route,
    {
      admit: async (ctx, caller) => {
        await checkScope(route, caller, ctx)
        await limitRate(ctx, caller.id)
      },
      groupOf: ({ tenant }) => tenant.companyId,
    },
    {
      // A GET does not use Idempotency-Keys, so they are skipped.
      idempotency: (_ctx, _caller, _body, handle) => handle(),
      costLimits: new CostLimits(),
      answerBudget: new AnswerBudget(() => undefined),
    },
  ),
)
app.use(router.routes())

const server = createServer(app.callback()).listen(Number(port), '127.0.0.1', () => console.log('listening'))
process.on('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
  auth.usage.stop().finally(() => process.exit(0))
})

/** Authenticates one made-up request, and gives its caller to every other one. */
async function takenForGranted() {
  const rawHeaders = ['Authorization', `Bearer ${keyText}`]
  const req = { rawHeaders, headers: {}, socket: { remoteAddress: '127.0.0.1' } }
  const first = { req, state: {} }
  await authenticate(first, () => Promise.resolve())
  return async (ctx, next) => {
    ctx.state.caller = first.state.caller
    await next()
  }
}
