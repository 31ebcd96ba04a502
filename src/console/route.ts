import type { Action } from '../domain/user/roles.ts'
import type { Session } from '../domain/user/session.ts'
import type { Caller } from '../api/auth/caller.ts'
import type { AnyServedRoute, ApiRequest, ServedRoute } from '../api/routing/route.ts'

/** The beginning of every path that belongs to a company. */
export const COMPANY_PATH = '/console/api/companies/:companyId/:environment'

/** A user of the console who makes a request. */
export type ConsoleCaller = Caller & { readonly session: Session }

/** One endpoint of the console below COMPANY_PATH, and what its callers need. */
export type ConsoleRoute = {
  readonly route: AnyServedRoute
  readonly action: Action
  /** Whether the user must have given the password recently. */
  readonly needsPassword: boolean
}

type Definition<Query, Body, Target> = Omit<ServedRoute<Query, Body, Target>, 'handle'> & {
  readonly action: Action
  readonly needsPassword?: boolean
  readonly handle: (
    request: Omit<ApiRequest<Query, Body, Target>, 'caller'> & { readonly caller: ConsoleCaller },
  ) => ReturnType<ServedRoute['handle']>
}

/**
 * Checks that the types of a route fit each other, then erases them, so that all routes fit into one table.
 *
 * @param definition its path begins below COMPANY_PATH
 */
export const defineConsoleRoute = <Query, Body, Target>({
  action,
  needsPassword = false,
  ...definition
}: Definition<Query, Body, Target>): ConsoleRoute => ({
  route: { ...definition, path: `${COMPANY_PATH}${definition.path}` },
  action,
  needsPassword,
})
