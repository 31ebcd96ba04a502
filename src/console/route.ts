import type { Context } from 'koa'
import { ApiError, notFound } from '../domain/errors.ts'
import { ENVIRONMENTS } from '../domain/tenant.ts'
import { permits, permitsSuspended, type Action } from '../domain/user/roles.ts'
import { lacksSecondFactor, type Session } from '../domain/user/session.ts'
import type { CostClass } from '../operations/cost-limits.ts'
import { roleForbids } from '../operations/user/authority.ts'
import type { Caller } from '../api/auth/caller.ts'
import type { Served, AnyServedRoute, ApiRequest, ServedRoute } from '../api/routing/route.ts'
import { serveRoute, type RouteContext, type RouteParts } from '../api/routing/serve-route.ts'
import { requirePassword, type SignedIn } from './console-sessions.ts'
import { API, originOf, type ConsoleParts } from './address-route.ts'

/** The beginning of every path that belongs to a company. */
export const COMPANY_PATH = `${API}/companies/:companyId/:environment`

/** A user of the console who makes a request. */
export type ConsoleCaller = Caller & { readonly session: Session }

/** One route of the console below COMPANY_PATH, and the permissions that its callers need. */
export type ConsoleRoute = {
  readonly route: AnyServedRoute
  readonly action: Action
  /** Whether the user must have given the password recently. */
  readonly needsPassword: boolean
}

type Definition<Query, Body, Target> = Omit<
  ServedRoute<Query, Body, Target>,
  'method' | 'path' | 'cost' | 'handle'
> & {
  readonly needsPassword?: boolean
  readonly handle: (
    request: Omit<ApiRequest<Query, Body, Target>, 'caller'> & { readonly caller: ConsoleCaller },
  ) => ReturnType<ServedRoute['handle']>
}

/**
 * Checks that the types of a route fit each other, then erases them, so that all routes fit into one table.
 *
 * @param path the part of the path after COMPANY_PATH
 * @param action the action that the role of the user must permit
 */
export const consoleRoute = <Query, Body, Target>(
  method: ServedRoute['method'],
  path: string,
  cost: CostClass,
  action: Action,
  { needsPassword = false, ...route }: Definition<Query, Body, Target>,
): ConsoleRoute => ({
  route: { method, path: `${COMPANY_PATH}${path}`, cost, ...route },
  action,
  needsPassword,
})

/**
 * Serves the routes of a company. The order of the checks: session, rate, CSRF token, company and environment, second
 * factor, role, suspension, password; then the checks of serveRoute. If the path names another company than the user's,
 * the answer is the same as if that company did not exist.
 */
export function serveCompanyRoutes(
  routes: readonly ConsoleRoute[],
  parts: ConsoleParts,
  routeParts: RouteParts,
): Served[] {
  return routes.map(({ route, action, needsPassword }): Served => {
    const permit = (_ctx: Context, caller: Caller): void => {
      const { user, companySuspendedAt } = (caller as ConsoleCaller).session
      if (!permits(user.role, action)) throw roleForbids(action)
      if (companySuspendedAt && !permitsSuspended(action)) throw suspensionForbids()
    }
    const admit = (_ctx: Context, caller: Caller): void => {
      if (needsPassword) requirePassword((caller as ConsoleCaller).session)
    }
    const serve = serveRoute(route, { permit, admit, groupOf }, routeParts)
    return {
      path: route.path,
      method: route.method,
      serve: async (ctx, next) => {
        const context = ctx as unknown as RouteContext
        context.state.caller = callerOf(parts, context, await parts.sessions.require(context))
        context.state.recheck = async () => callerOf(parts, context, await parts.sessions.findAgain(context))
        await serve(ctx, next)
      },
    }
  })
}

/**
 * The cost limits count the console separately, so that a flood of requests by a key cannot keep an admin from revoking the
 * key.
 */
const groupOf = ({ tenant }: Caller): string => `console of ${tenant.companyId}`

const suspensionForbids = () =>
  new ApiError(
    'INSUFFICIENT_PERMISSIONS',
    'The company is suspended: you can look at everything, and revoke keys and remove users.',
  )

const secondFactorFirst = () =>
  new ApiError(
    'SECOND_FACTOR_SETUP_REQUIRED',
    'Your company asks for a second factor: set up an authenticator app first.',
  )

/** @throws ApiError NOT_FOUND, SECOND_FACTOR_SETUP_REQUIRED */
function callerOf(parts: ConsoleParts, ctx: RouteContext, { session }: SignedIn): ConsoleCaller {
  const { user } = session
  const environment = ENVIRONMENTS.find((known) => known === ctx.params['environment'])
  if (ctx.params['companyId'] !== user.companyId || environment === undefined) throw notFound('Company')
  if (lacksSecondFactor(session)) throw secondFactorFirst()
  const origin = originOf(parts, ctx)
  return {
    id: user.id,
    scopes: [],
    tenant: { companyId: user.companyId, environment },
    address: origin.ip ?? '',
    actor: { id: user.id, ...origin },
    session,
  }
}
