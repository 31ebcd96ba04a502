import type { Middleware } from 'koa'
import type { State } from './caller.ts'
import type { UsageRecorder } from './usage-recorder.ts'

/**
 * Counts the response to each request that authentication counted, by its status, and the route that it was for. It stands
 * outside the error envelope, which decides the status. A path that no route serves is counted, and never written down.
 */
export const countResponses =
  (usage: Pick<UsageRecorder, 'recordResponse'>): Middleware<State> =>
  async (ctx, next) => {
    await next()
    const { use, route } = ctx.state
    if (use) usage.recordResponse(use, ctx.status, route === undefined ? undefined : `${ctx.method} ${route}`)
  }
