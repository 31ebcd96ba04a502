import type { Middleware } from 'koa'
import type { Deps } from '../../process/deps.js'
import { answerHealth, type Readiness } from '../../process/health.js'
import type { State } from '../auth/caller.js'
import { createRequestOrigin } from '../edge/request-origin.js'

/** /healthz, /readyz and /metrics, the same as on the worker. */
export function health({ config, metrics }: Deps, readiness: Readiness): Middleware<State> {
  const { addressOf, isConfidential } = createRequestOrigin(config)
  return async (ctx, next) => {
    const asked = {
      method: ctx.method,
      path: ctx.path,
      headers: ctx.req.headers,
      address: addressOf(ctx.req),
      isConfidential: isConfidential(ctx.req),
    }
    const answer = await answerHealth(asked, {
      readiness,
      registry: metrics.registry,
      metricsToken: config.metricsToken,
    })
    if (!answer) {
      await next()
      return
    }
    ctx.state.route = ctx.path
    ctx.status = answer.status
    ctx.type = answer.type
    ctx.set(answer.headers ?? {})
    ctx.body = answer.text
  }
}
