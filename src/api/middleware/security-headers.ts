import type { Middleware } from 'koa'
import type { Deps } from '../../deps/deps.ts'
import { createRequestOrigin } from '../edge/request.ts'
import { ApiError } from '../../domain/errors.ts'

const YEAR_S = 31_536_000

/**
 * Headers of JSON answers: never sniffed, never framed, and never cached unless a route says so. HSTS is added if the
 * client used HTTPS, to us or to a trusted proxy. Browsers ignore it in an answer over plain HTTP (RFC 6797, section 7.2).
 */
export function securityHeaders(config: Pick<Deps['config'], 'trustedProxies'>): Middleware {
  const { isHttps } = createRequestOrigin(config)
  return async (ctx, next) => {
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('Cache-Control', 'no-store')
    ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
    if (isHttps(ctx.req)) {
      ctx.set('Strict-Transport-Security', `max-age=${YEAR_S}; includeSubDomains`)
    }
    await next()
  }
}

/**
 * Specification (API keys): keys are sent only over HTTPS. Refuses a request that reached a public HOST without passing the
 * proxies that end TLS, and one that reached those proxies unencrypted. It does not redirect, because a redirected client
 * would work, and go on sending its key unencrypted (OWASP ASVS 5.0, 4.1.2).
 *
 * @throws ApiError INVALID_REQUEST
 */
export function requireHttps(config: Pick<Deps['config'], 'trustedProxies'>): Middleware {
  const { isConfidential } = createRequestOrigin(config)
  return async (ctx, next) => {
    if (!isConfidential(ctx.req)) throw new ApiError('INVALID_REQUEST', 'Use HTTPS.')
    await next()
  }
}
