import type { Context } from 'koa'
import { ApiError } from '../domain/errors.ts'
import { isReauthenticated, type Session } from '../domain/user/session.ts'
import { createRateLimit } from '../api/middleware/rate-limit.ts'
import type { FailureThrottle } from '../api/auth/failure-throttle.ts'
import type { FindSession } from '../operations/sessions/session.ts'
import type { Deps } from '../deps/deps.ts'
import type { ConsoleCookies } from './cookies.ts'
import type { CheckCsrf } from './csrf.ts'

/** A session may make this many requests a minute. A user who follows live lists in several tabs makes about 100. */
const REQUESTS_PER_MINUTE = 600

/** A session and its id. Only the browser and this request know the id. */
export type SignedIn = { readonly session: Session; readonly sessionId: string }

type Parts = {
  readonly cookies: ConsoleCookies
  readonly checkCsrf: CheckCsrf
  readonly findSession: FindSession
  /** Counts a failed authentication of the request's address; see createFailureThrottle. */
  readonly countFailure: (ctx: Context) => ReturnType<FailureThrottle>
}

/** Finds out who makes a request of the console. */
export class ConsoleSessions {
  readonly #parts: Parts
  readonly #limitRate: ReturnType<typeof createRateLimit>

  constructor({ rateLimitPerMinute }: Pick<Deps['config'], 'rateLimitPerMinute'>, parts: Parts) {
    this.#parts = parts
    this.#limitRate = createRateLimit(Math.min(rateLimitPerMinute, REQUESTS_PER_MINUTE), 'session')
  }

  /**
   * The session of the request, or undefined. The request counts towards the rate limit of the session.
   *
   * @throws ApiError RATE_LIMITED, also if the cookie names no session and the client's address failed too often
   */
  async find(ctx: Context): Promise<SignedIn | undefined> {
    const signedIn = await this.findToEnd(ctx)
    if (signedIn) await this.#limitRate(ctx, signedIn.session.idHash.toString('base64'))
    return signedIn
  }

  /**
   * Like `find`, but does not count the request, so that a session that has used up its quota can still sign out.
   *
   * @throws ApiError RATE_LIMITED if the cookie names no session and the client's address failed too often
   */
  async findToEnd(ctx: Context): Promise<SignedIn | undefined> {
    const { cookies, countFailure } = this.#parts
    const signedIn = await this.findFormer(ctx)
    if (signedIn || cookies.sessionId(ctx) === undefined) return signedIn
    // Drop the cookie of an ended session before any refusal. The next request of the browser then gets the sign-in page.
    cookies.dropSessionId(ctx)
    const refusal = await countFailure(ctx)
    if (refusal) throw refusal
    return undefined
  }

  /** Reads the session of an admitted request once more, as it is now. @throws ApiError UNAUTHORIZED */
  async findAgain(ctx: Context): Promise<SignedIn> {
    const signedIn = await this.findFormer(ctx)
    if (!signedIn) throw noSession()
    return signedIn
  }

  /** The session that the request's cookie names. The request is not counted. */
  async findFormer(ctx: Context): Promise<SignedIn | undefined> {
    const sessionId = this.#parts.cookies.sessionId(ctx)
    const session = sessionId === undefined ? undefined : await this.#parts.findSession(sessionId)
    return sessionId === undefined || session === undefined ? undefined : { session, sessionId }
  }

  /**
   * Runs a lookup by a secret that the request carries, such as the token of a link. If it finds nothing, that counts
   * as a failed authentication of the client's address.
   *
   * @throws whatever the search throws. ApiError RATE_LIMITED instead of NOT_FOUND if the address failed too often
   */
  async countUnknown<T>(ctx: Context, search: () => Promise<T>): Promise<T> {
    try {
      return await search()
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
      throw (await this.#parts.countFailure(ctx)) ?? error
    }
  }

  /**
   * The session of a request that needs one. A request that may change something also needs the session's CSRF token.
   *
   * @throws ApiError UNAUTHORIZED, RATE_LIMITED, CSRF_TOKEN_INVALID
   */
  async require(ctx: Context): Promise<SignedIn> {
    const signedIn = await this.find(ctx)
    if (!signedIn) throw noSession()
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') this.#parts.checkCsrf(ctx, [signedIn.sessionId])
    return signedIn
  }
}

const noSession = () => new ApiError('UNAUTHORIZED', 'Sign in: there is no session, or it has ended.')

/** @throws ApiError REAUTHENTICATION_REQUIRED unless the user entered the password recently */
export function requirePassword(session: Session): void {
  if (isReauthenticated(session)) return
  throw new ApiError('REAUTHENTICATION_REQUIRED', 'Give your password again: this needs it.')
}
