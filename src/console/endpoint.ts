import type { Context } from 'koa'
import type Joi from 'joi'
import type { FailureThrottle } from '../api/auth/failure-throttle.ts'
import type { Deps, SystemDeps } from '../deps/deps.ts'
import type { Actor } from '../domain/actor.ts'
import { checkFields } from '../domain/fields/check-fields.ts'
import type { State } from '../api/auth/caller.ts'
import { createRequestOrigin } from '../api/edge/request.ts'
import { readBody, readOptionalBody } from '../api/middleware/read-body.ts'
import type { Served } from '../api/routing/dispatch.ts'
import type { Rest } from '../operations/concurrency-limit.ts'
import type { CostClass } from '../operations/cost-limits.ts'
import { dataOf, noBody } from '../api/schemas/common.ts'
import { ConsoleCookies } from './cookies.ts'
import { createCsrfCheck, type CheckCsrf } from './csrf.ts'
import { ConsoleSessions } from './console-sessions.ts'
import type { ShownLink } from '../domain/user/access-link.ts'
import { createFindSession, type FindSession } from '../operations/sessions/session.ts'
import { signIn, type Credentials, type SignIn, type SignInOrigin } from '../operations/sessions/sign-in.ts'
import { showLink, useLink, type LinkInput } from '../operations/sessions/use-link.ts'
import { PasswordThrottle } from './throttle.ts'

/** What the sign-in does before it knows a tenant. No other part of the console may span tenants. */
export type SignInParts = {
  readonly findSession: FindSession
  /** @throws ApiError as signIn of the operations */
  readonly signIn: (credentials: Credentials, from: SignInOrigin) => Promise<SignIn>
  /** @throws ApiError as showLink of the operations */
  readonly showLink: (token: string) => Promise<ShownLink>
  /** @throws ApiError as useLink of the operations */
  readonly useLink: (input: LinkInput, from: SignInOrigin) => Promise<string>
  readonly throttle: PasswordThrottle
}

export const createSignInParts = (deps: SystemDeps): SignInParts => ({
  findSession: createFindSession(deps),
  signIn: (credentials, from) => signIn(deps, credentials, from),
  showLink: (token) => showLink(deps, token),
  useLink: (input, from) => useLink(deps, input, from),
  throttle: new PasswordThrottle(deps),
})

/** What every endpoint of the console may use. */
export type ConsoleParts = SignInParts & {
  readonly deps: Deps
  readonly cookies: ConsoleCookies
  readonly checkCsrf: CheckCsrf
  readonly sessions: ConsoleSessions
  /** The canonical address of the client. */
  readonly addressOf: (ctx: Context) => string
}

export function createConsoleParts(
  deps: Deps,
  signInParts: SignInParts,
  countFailure: FailureThrottle,
): ConsoleParts {
  const cookies = new ConsoleCookies(deps.config)
  const checkCsrf = createCsrfCheck(deps.config)
  const origin = createRequestOrigin(deps.config)
  const addressOf = (ctx: Context) => origin.addressOf(ctx.req)
  return {
    ...signInParts,
    deps,
    cookies,
    checkCsrf,
    addressOf,
    sessions: new ConsoleSessions(deps.config, {
      cookies,
      checkCsrf,
      findSession: signInParts.findSession,
      countFailure: (ctx) => countFailure(addressOf(ctx)),
    }),
  }
}

/** Where somebody signs in, and with which browser. */
export const signInOriginOf = (parts: ConsoleParts, ctx: Context): SignInOrigin => ({
  ...originOf(parts, ctx),
  userAgent: ctx.get('User-Agent') || undefined,
})

/** Where a request comes from, for the audit. */
export const originOf = ({ addressOf }: ConsoleParts, ctx: Context): Omit<Actor, 'id'> => ({
  ip: addressOf(ctx),
  requestId: (ctx.state as State).requestId,
})

/** An endpoint that belongs to no company. Its cost class limits the address of the client. */
export type AddressEndpoint = Omit<Served, 'serve'> & {
  /** While it rests it waits for the client, and keeps no place that all addresses share. */
  readonly serve: (ctx: Context, rest: Rest) => Promise<void>
  readonly cost: CostClass
  readonly body?: Joi.Schema
  readonly answers: Readonly<Record<number, { readonly schema: Joi.Schema }>>
}

type Shapes<Body> = { readonly body?: Joi.Schema<Body>; readonly answer: Joi.Schema }

/**
 * Makes an endpoint for the session, the password or the second factor. It answers `{ data }` with status 200.
 *
 * @param shapes `body`: without it the endpoint takes none; `answer`: the schema of `data`
 * @param handle its `readBody` checks the body; it throws ApiError as readBody of the middleware, and VALIDATION_ERROR
 */
export const endpoint = <Body>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { body, answer }: Shapes<Body>,
  handle: (ctx: Context, readBody: () => Promise<Body>) => Promise<object>,
): AddressEndpoint => ({
  method,
  path,
  cost: method === 'GET' ? 'cheap' : 'write',
  ...(body && { body }),
  answers: { 200: { schema: dataOf(answer) } },
  serve: async (ctx, rest) => {
    ;(ctx.state as State).route = path
    const read = async () => {
      let raw: unknown
      await rest(async () => void (raw = await (body ? readBody(ctx) : readOptionalBody(ctx))))
      return body ? checkFields(body, raw) : (checkFields(noBody, raw) as Body)
    }
    ctx.body = { data: await handle(ctx, read) }
  },
})
