import type { Middleware } from 'koa'
import type { Deps } from '../../deps/deps.ts'
import type { HealthAnswer, HealthRequest } from '../../process/health.ts'
import type { State } from '../auth/caller.ts'
import type { RouteParts } from '../routing/serve-route.ts'
import { createRequestOrigin } from '../edge/request.ts'

/** The health paths, each with the function that answers it. */
export type HealthPaths = {
  readonly paths: readonly string[]
  readonly answer: (request: HealthRequest) => Promise<HealthAnswer>
}

/** Serves /healthz, /readyz and /metrics, as the worker does. */
export function health(
  { config }: Deps,
  { paths, answer }: HealthPaths,
  { limitByAddress }: Pick<RouteParts, 'limitByAddress'>,
): Middleware<State> {
  const { addressOf, isConfidential } = createRequestOrigin(config)
  return async (ctx, next) => {
    if (!paths.includes(ctx.path)) {
      await next()
      return
    }
    await limitByAddress('cheap', ctx, async () => {
      const { status, type, headers, text } = await answer({
        method: ctx.method,
        path: ctx.path,
        headers: ctx.req.headers,
        address: addressOf(ctx.req),
        isConfidential: isConfidential(ctx.req),
      })
      ctx.state.route = ctx.path
      ctx.status = status
      ctx.type = type
      ctx.set(headers ?? {})
      ctx.body = text
    })
  }
}
