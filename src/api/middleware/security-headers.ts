import type { Middleware } from 'koa'

const YEAR_S = 31_536_000

/** For JSON answers: never sniffed, never framed, never cached unless a route says so; HSTS where TLS is ours. */
export const securityHeaders =
  ({ isTls }: { isTls: boolean }): Middleware =>
  async (ctx, next) => {
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('Cache-Control', 'no-store')
    ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
    if (isTls) ctx.set('Strict-Transport-Security', `max-age=${YEAR_S}; includeSubDomains`)
    await next()
  }
