import type { Context } from 'koa'
import type { Deps } from '../deps/deps.ts'
import { isToken, newToken, SESSION_LIFETIME_MS } from '../domain/user/session.ts'

/** How long the CSRF token of the sign-in page works. */
const BEFORE_SIGN_IN_MS = 3_600_000

/**
 * The two cookies of the console: the session id, and the value from which the CSRF token of the sign-in page is made.
 * Scripts can read neither. On plain HTTP on a loopback address they have no prefix and are not Secure: browsers differ in
 * whether they take Secure cookies from http://localhost (decisions: Cookies of the console).
 */
export class ConsoleCookies {
  readonly #isSecure: boolean

  constructor({ isPlainLoopback }: Pick<Deps['config'], 'isPlainLoopback'>) {
    this.#isSecure = !isPlainLoopback
  }

  /** The session id in the request, if it has the right form. */
  sessionId(ctx: Context): string | undefined {
    return this.#read(ctx, 'sid')
  }

  setSessionId(ctx: Context, sessionId: string): void {
    this.#write(ctx, 'sid', sessionId, SESSION_LIFETIME_MS)
  }

  dropSessionId(ctx: Context): void {
    this.#write(ctx, 'sid', '', 0)
  }

  /** The value from which the token of the sign-in page is made, if the request has the cookie. */
  beforeSignIn(ctx: Context): string | undefined {
    return this.#read(ctx, 'pre')
  }

  /** Like beforeSignIn, but sets a new value if the request has none. */
  keepBeforeSignIn(ctx: Context): string {
    const value = this.beforeSignIn(ctx) ?? newToken()
    this.#write(ctx, 'pre', value, BEFORE_SIGN_IN_MS)
    return value
  }

  #read(ctx: Context, name: string): string | undefined {
    const value = ctx.cookies.get(this.#named(name), { signed: false })
    return value !== undefined && isToken(value) ? value : undefined
  }

  #write(ctx: Context, name: string, value: string, maxAgeMs: number): void {
    // A proxy may have ended TLS before us. Then koa takes the request for plain HTTP, and would refuse a Secure cookie.
    ctx.cookies.secure = this.#isSecure
    ctx.cookies.set(this.#named(name), value, {
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      secure: this.#isSecure,
      maxAge: maxAgeMs,
      signed: false,
      overwrite: true,
    })
  }

  #named(name: string): string {
    return this.#isSecure ? `__Host-${name}` : name
  }
}
