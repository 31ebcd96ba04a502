import type { Middleware } from 'koa'
import type { Deps } from '../../deps.js'
import { answerHealth, type Readiness } from '../../health.js'
import type { State } from '../caller.js'

/** /healthz, /readyz and /metrics, the same as on the worker. */
export const health =
  ({ config, metrics }: Deps, readiness: Readiness): Middleware<State> =>
  async (ctx, next) => {
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
    const answer = isRead
      ? await answerHealth(ctx.path, ctx.get('Authorization'), {
          readiness,
          registry: metrics.registry,
          metricsToken: config.metricsToken,
        })
      : undefined
    if (!answer) {
      await next()
      return
    }
    ctx.state.route = ctx.path
    ctx.status = answer.status
    ctx.type = answer.type
    ctx.body = answer.text
  }
