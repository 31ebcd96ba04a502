import Router from '@koa/router'
import type { Middleware } from 'koa'
import { methodNotAllowed } from '../../domain/errors.ts'
import type { State } from '../auth/caller.ts'

/** A path and a method, and what serves them. */
export type Served = { readonly path: string; readonly method: string; readonly serve: Middleware }

/**
 * Calls what serves the path and the method of a request, and goes on where nothing serves the path.
 *
 * @throws ApiError METHOD_NOT_ALLOWED where the path is served, but not by this method
 */
export function dispatchTo(served: readonly Served[]): Middleware<State> {
  const router = new Router({ sensitive: true, strict: true })
  for (const { path, method, serve } of served) router.register(path, [method], serve as never)
  const dispatch = router.routes() as unknown as Middleware<State>
  return async (ctx, next) => {
    await dispatch(ctx, async () => {
      // Nothing serves the path, or nothing this method of it. The router notes what matches the path.
      const { matched } = ctx as unknown as { readonly matched: readonly { readonly methods: string[] }[] }
      if (matched.length === 0) {
        await next()
        return
      }
      const allow = [...new Set(matched.flatMap(({ methods }) => methods)), 'OPTIONS'].join(', ')
      if (ctx.method !== 'OPTIONS') throw methodNotAllowed(allow)
      ctx.set('Allow', allow)
      ctx.status = 204
    })
  }
}
