import { createServer } from 'node:http'
import Router from '@koa/router'
import Koa from 'koa'
import { AnswerBudget } from '../../dist/api/edge/answer-budget.js'
import { createDenialLimit } from '../../dist/api/auth/denial-limit.js'
import { createListLimit } from '../../dist/api/routing/list-limit.js'
import { createAuthenticate } from '../../dist/api/auth/authenticate.js'
import { errorEnvelope } from '../../dist/api/middleware/error-envelope.js'
import { observe } from '../../dist/api/middleware/observe.js'
import { createRateLimit } from '../../dist/api/middleware/rate-limit.js'
import { requestId } from '../../dist/api/middleware/request-id.js'
import { securityHeaders } from '../../dist/api/middleware/security-headers.js'
import { routeTable } from '../../dist/api/routes/index.js'
import { checkScope } from '../../dist/api/routing/scope-check.js'
import { serveRoute } from '../../dist/api/routing/serve-route.js'
import { UsageRecorder } from '../../dist/api/auth/usage-recorder.js'
import { readConfig } from '../../dist/config/index.js'
import { buildDeps } from '../../dist/process/deps.js'
import { lazyTemporalClient } from '../../dist/process/temporal/client.js'

/*
 * Serves GET /api-v1-webhooks as the api does, for auth.mjs: `with` authentication, or `without` it, for a caller that is
 * authenticated once and then given to every request. Prints `listening` when it takes requests.
 */

const [, , variant, port, keyText] = process.argv
const config = readConfig()
const deps = buildDeps(config, 'bench', lazyTemporalClient(config))
const usage = new UsageRecorder(deps)
const authenticate = createAuthenticate(deps, { usage, limitDenial: createDenialLimit(0) })

const app = new Koa()
app.silent = true
app
  .use(requestId())
  .use(securityHeaders({ trustedProxies: [] }))
  .use(observe(deps))
  .use(errorEnvelope(deps))
app.use(variant === 'with' ? authenticate : await takenForGranted())
const router = new Router()
const limitRate = createRateLimit(deps)
const route = routeTable(deps).find(({ operationId }) => operationId === 'listWebhooks')
router.get(
  route.path,
  serveRoute(
    route,
    {
      admit: async (ctx, caller) => {
        await checkScope(route, caller, ctx)
        await limitRate(ctx, caller)
      },
    },
    {
      // A GET does not use Idempotency-Keys, so they are skipped.
      idempotency: (_ctx, _caller, _body, handle) => handle(),
      listLimit: createListLimit(),
      answerBudget: new AnswerBudget(() => undefined),
    },
  ),
)
app.use(router.routes())

const server = createServer(app.callback()).listen(Number(port), '127.0.0.1', () => console.log('listening'))
process.on('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
  usage.stop().finally(() => process.exit(0))
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
