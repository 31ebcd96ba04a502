import { createHmac } from 'node:crypto'
import type { Context } from 'koa'
import { ApiError } from '../domain/errors.ts'
import type { Deps } from '../deps/deps.ts'
import { isSameSecret } from '../domain/webhook/signing.ts'

const HEADER = 'X-CSRF-Token'

/** The token of a session or a sign-in page. It can be made only from the cookie's value. */
export const csrfTokenOf = (cookie: string): string =>
  createHmac('sha256', cookie).update('csrf').digest('base64url')

/** Throws unless the request carries the token of one of the cookies and comes from our own page. */
export type CheckCsrf = (ctx: Context, cookies: readonly (string | undefined)[]) => void

/**
 * Keeps other sites from sending requests in a user's name. It checks a token that other sites cannot know, and the headers
 * in which browsers name the origin of a request.
 *
 * @returns a check that throws ApiError CSRF_TOKEN_INVALID
 */
export function createCsrfCheck({ publicUrl, isPlainLoopback }: Deps['config']): CheckCsrf {
  const publicOrigin = new URL(publicUrl).origin
  const protocol = isPlainLoopback ? 'http:' : 'https:'

  return (ctx, cookies) => {
    if (!isOurOwn(ctx))
      throw new ApiError('CSRF_TOKEN_INVALID', 'The request does not come from a page of the console.')
    const given = ctx.get(HEADER)
    if (cookies.some((cookie) => cookie !== undefined && isSameSecret(given, csrfTokenOf(cookie)))) return
    throw new ApiError('CSRF_TOKEN_INVALID', `${HEADER} is missing or old: load the page again.`)
  }

  /**
   * Browsers send Origin with all methods except GET and HEAD. A caller that sends neither Origin nor Sec-Fetch-Site is
   * no browser, and is refused.
   */
  function isOurOwn(ctx: Context): boolean {
    const [site, origin] = [ctx.get('Sec-Fetch-Site'), ctx.get('Origin')]
    if (site !== '' && site !== 'same-origin') return false
    if (origin === '') return site === 'same-origin'
    return origin === publicOrigin || origin.toLowerCase() === `${protocol}//${ctx.get('Host').toLowerCase()}`
  }
}

/**
 * Some GETs write: an export writes to the audit. Refuses such a GET unless the user followed a link on a page of ours
 * or typed its address. The cookie alone proves nothing, because browsers send a SameSite=Lax cookie when a user
 * follows a link of another site, and when they prefetch addresses.
 *
 * @param header returns a header of the request. Only browsers send the two headers that are checked
 * @throws ApiError CSRF_TOKEN_INVALID
 */
export function refuseUnasked(header: (name: string) => string | undefined): void {
  const isForeign = ['cross-site', 'same-site'].includes(header('Sec-Fetch-Site') ?? '')
  if (!isForeign && !header('Sec-Purpose')?.startsWith('prefetch')) return
  throw new ApiError('CSRF_TOKEN_INVALID', 'Nobody asked for this on a page of the console.')
}
