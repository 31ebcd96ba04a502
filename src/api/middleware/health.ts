import type { Middleware } from 'koa'
import type { Deps } from '../../process/deps.ts'
import type { HealthAnswer, HealthRequest } from '../../process/health.ts'
import type { State } from '../auth/caller.ts'
import { createRequestOrigin } from '../edge/request-origin.ts'

/** Answers the health paths; undefined for every other path. */
export type AnswerHealth = (request: HealthRequest) => Promise<HealthAnswer | undefined>

/** Serves /healthz, /readyz and /metrics, as the worker does. */
export function health({ config }: Deps, answerHealth: AnswerHealth): Middleware<State> {
  const { addressOf, isConfidential } = createRequestOrigin(config)
  return async (ctx, next) => {
    const answer = await answerHealth({
      method: ctx.method,
      path: ctx.path,
      headers: ctx.req.headers,
      address: addressOf(ctx.req),
      isConfidential: isConfidential(ctx.req),
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
