import type { Middleware } from 'koa'
import type { Deps } from '../../process/deps.ts'
import { createRequestOrigin } from '../edge/request-origin.ts'

const YEAR_S = 31_536_000

/**
 * For JSON answers: never sniffed, never framed, never cached unless a route says so. HSTS where the client spoke HTTPS,
 * to us or to a trusted proxy; browsers ignore it in an answer over plain HTTP (RFC 6797, section 7.2).
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
