import type { Context } from 'koa'
import type Joi from 'joi'
import type { FailureThrottle } from '../api/auth/failure-throttle.ts'
import type { Deps, SystemDeps } from '../deps/deps.ts'
import type { Actor } from '../domain/actor.ts'
import { checkFields } from '../domain/fields/rules.ts'
import type { State } from '../api/auth/caller.ts'
import { createRequestOrigin } from '../api/edge/request.ts'
import { readBody, readOptionalBody } from '../api/middleware/read-body.ts'
import type { Served } from '../api/routing/route.ts'
import type { Rest } from '../operations/concurrency-limit.ts'
import type { CostClass } from '../operations/cost-limits.ts'
import { dataOf, noBody } from '../api/schemas/common.ts'
import { ConsoleCookies } from './cookies.ts'
import { createCsrfCheck } from './csrf.ts'
import { ConsoleSessions } from './console-sessions.ts'
import { createFindSession } from '../operations/sessions/session.ts'
import { signIn, type Credentials, type SignInOrigin } from '../operations/sessions/sign-in.ts'
import { showLink, useLink, type LinkInput } from '../operations/sessions/use-link.ts'
import { PasswordThrottle } from './throttle.ts'

/** What the sign-in runs before it knows a tenant. No other part of the console may work across tenants. */
export const createSignInParts = (deps: SystemDeps) => ({
  findSession: createFindSession(deps),
  signIn: (credentials: Credentials, from: SignInOrigin) => signIn(deps, credentials, from),
  showLink: (token: string) => showLink(deps, token),
  useLink: (input: LinkInput, from: SignInOrigin) => useLink(deps, input, from),
  throttle: new PasswordThrottle(deps),
})

export type SignInParts = Readonly<ReturnType<typeof createSignInParts>>

/** The parts that every route of the console may use. */
export function createConsoleParts(deps: Deps, signInParts: SignInParts, countFailure: FailureThrottle) {
  const cookies = new ConsoleCookies(deps.config)
  const checkCsrf = createCsrfCheck(deps.config)
  const origin = createRequestOrigin(deps.config)
  /** The canonical address of the client. */
  const addressOf = (ctx: Context) => origin.addressOf(ctx.req)
  const { findSession } = signInParts
  const sessions = new ConsoleSessions(deps.config, {
    cookies,
    checkCsrf,
    findSession,
    countFailure: (ctx) => countFailure(addressOf(ctx)),
  })
  return { ...signInParts, deps, cookies, checkCsrf, addressOf, sessions }
}

export type ConsoleParts = Readonly<ReturnType<typeof createConsoleParts>>

/** The address and the browser of a sign-in. */
export const signInOriginOf = (parts: ConsoleParts, ctx: Context): SignInOrigin => ({
  ...originOf(parts, ctx),
  userAgent: ctx.get('User-Agent') || undefined,
})

/** Where a request comes from, for the audit. */
export const originOf = ({ addressOf }: ConsoleParts, ctx: Context): Omit<Actor, 'id'> => ({
  ip: addressOf(ctx),
  requestId: (ctx.state as State).requestId,
})

/** A route that belongs to no company. The limits of its cost class apply to the client's address. */
export type AddressRoute = Omit<Served, 'serve'> & {
  /** Waits for the body of the request inside `rest`, so that work of other addresses can run during the wait. */
  readonly serve: (ctx: Context, rest: Rest) => Promise<void>
  readonly cost: CostClass
  readonly body?: Joi.Schema
  readonly answers: Readonly<Record<number, { readonly schema: Joi.Schema }>>
}

type Shapes<Body> = { readonly body?: Joi.Schema<Body>; readonly answer: Joi.Schema }

/** The beginning of every path of the session API. */
export const API = '/console/api'

/**
 * Makes a route for the session, the password or the second factor. It answers `{ data }` with status 200.
 *
 * @param path the part of the path after API
 * @param shapes `body`: the schema of the body, if the route takes one; `answer`: the schema of `data`
 * @param handle gets `read`, which reads and checks the body. `read` throws what readBody throws, or ApiError
 *   VALIDATION_ERROR
 */
export const addressRoute = <Body>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { body, answer }: Shapes<Body>,
  handle: (ctx: Context, read: () => Promise<Body>) => Promise<object>,
): AddressRoute => ({
  method,
  path: `${API}${path}`,
  cost: method === 'GET' ? 'cheap' : 'write',
  ...(body && { body }),
  answers: { 200: { schema: dataOf(answer) } },
  serve: async (ctx, rest) => {
    ;(ctx.state as State).route = `${API}${path}`
    const read = async () => {
      let raw: unknown
      await rest(async () => void (raw = await (body ? readBody(ctx) : readOptionalBody(ctx))))
      return body ? checkFields(body, raw) : (checkFields(noBody, raw) as Body)
    }
    ctx.body = { data: await handle(ctx, read) }
  },
})
