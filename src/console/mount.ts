import type { Middleware } from 'koa'
import { ApiError } from '../domain/errors.ts'
import type { State } from '../api/auth/caller.ts'
import { dispatchTo, type Served, type AnyRoute } from '../api/routing/route.ts'
import type { FailureThrottle } from '../api/auth/failure-throttle.ts'
import type { RouteParts } from '../api/routing/serve-route.ts'
import type { Deps } from '../deps/deps.ts'
import { serveCompanyRoutes } from './route.ts'
import { API, createConsoleParts, type AddressRoute, type SignInParts } from './address-route.ts'
import { servePages } from './pages.ts'
import { addressRoutes, companyRoutes } from './routes/index.ts'

const ROOT = '/console'

/**
 * Serves the console: its session API below /console/api, and its pages below /console. The session API has routes of
 * its own, and serves some routes of the public API (routes/index.ts). Both APIs call the same operations.
 *
 * @param pagesFolder the folder with the built pages
 */
export function createConsole(
  deps: Deps,
  signInParts: SignInParts,
  table: readonly AnyRoute[],
  { countFailure, ...routeParts }: RouteParts & { readonly countFailure: FailureThrottle },
  pagesFolder: string,
): Middleware<State> {
  const parts = createConsoleParts(deps, signInParts, countFailure)
  const limited = ({ cost, serve, ...route }: AddressRoute): Served => ({
    ...route,
    serve: (ctx) => routeParts.limitByAddress(cost, ctx, (rest) => serve(ctx, rest)),
  })
  const serveApi = dispatchTo([
    ...addressRoutes(parts).map(limited),
    ...serveCompanyRoutes(companyRoutes(deps, table), parts, routeParts),
  ])
  const pages = servePages(pagesFolder)
  return async (ctx, next) => {
    if (!isBelow(ROOT, ctx.path)) {
      await next()
      return
    }
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
    if (isBelow(API, ctx.path)) await serveApi(ctx, nothingHere)
    else await routeParts.limitByAddress('cheap', ctx, () => pages(ctx, nothingHere))
  }
}

const isBelow = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`)

const nothingHere = () => Promise.reject(new ApiError('NOT_FOUND', 'Not found.'))
