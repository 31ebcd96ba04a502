import type { Middleware } from 'koa'
import type { Deps } from '../../deps.js'
import { answerHealth, type Readiness } from '../../health.js'
import type { State } from '../caller.js'

/** /healthz, /readyz and /metrics, the same as on the worker. */
export const health =
  ({ config, metrics }: Deps, readiness: Readiness): Middleware<State> =>
  async (ctx, next) => {
    const asked = { method: ctx.method, path: ctx.path, authorization: ctx.get('Authorization') }
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
