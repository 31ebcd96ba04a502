import type { Context } from 'koa'
import { ApiError } from '../domain/errors.ts'
import { isReauthenticated, type Session } from '../domain/user/session.ts'
import { createRateLimit } from '../api/middleware/rate-limit.ts'
import { findSession } from '../operations/sessions/session.ts'
import type { Deps } from '../process/deps.ts'
import type { ConsoleCookies } from './cookies.ts'
import type { CheckCsrf } from './csrf.ts'

/** Requests of one session in a minute: a person with some tabs that follow live makes 100. */
const REQUESTS_PER_MINUTE = 600

/** A session and its id, which only the browser and this request know. */
export type SignedIn = { readonly session: Session; readonly sessionId: string }

/** Finds out who makes a request of the console. */
export class ConsoleSessions {
  readonly #deps: Deps
  readonly #cookies: ConsoleCookies
  readonly #checkCsrf: CheckCsrf
  readonly #limitRate: ReturnType<typeof createRateLimit>

  constructor(deps: Deps, cookies: ConsoleCookies, checkCsrf: CheckCsrf) {
    this.#deps = deps
    this.#cookies = cookies
    this.#checkCsrf = checkCsrf
    const perMinute = Math.min(deps.config.rateLimitPerMinute, REQUESTS_PER_MINUTE)
    this.#limitRate = createRateLimit(perMinute, 'session')
  }

  /** As findUnlimited, and the request counts in the limit of the session. @throws ApiError RATE_LIMITED */
  async find(ctx: Context): Promise<SignedIn | undefined> {
    const signedIn = await this.findUnlimited(ctx)
    if (signedIn) await this.#limitRate(ctx, signedIn.session.idHash.toString('base64'))
    return signedIn
  }

  /**
   * The session of the request, or undefined. The cookie of one that has ended goes. It is for requests that end the
   * session: whoever used up its quota can still sign out.
   */
  async findUnlimited(ctx: Context): Promise<SignedIn | undefined> {
    const sessionId = this.#cookies.sessionId(ctx)
    if (sessionId === undefined) return undefined
    const session = await findSession(this.#deps, sessionId)
    if (session) return { session, sessionId }
    this.#cookies.dropSessionId(ctx)
    return undefined
  }

  /**
   * The session of a request that needs one. Whatever may change something needs the token of the session as well.
   *
   * @throws ApiError UNAUTHORIZED, RATE_LIMITED, CSRF_TOKEN_INVALID
   */
  async require(ctx: Context): Promise<SignedIn> {
    const signedIn = await this.find(ctx)
    if (!signedIn) throw new ApiError('UNAUTHORIZED', 'Sign in: there is no session, or it has ended.')
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') this.#checkCsrf(ctx, [signedIn.sessionId])
    return signedIn
  }
}

/** @throws ApiError REAUTHENTICATION_REQUIRED unless the password was given lately */
export function requirePassword(session: Session): void {
  if (isReauthenticated(session)) return
  throw new ApiError('REAUTHENTICATION_REQUIRED', 'Give your password again: this needs it.')
}
