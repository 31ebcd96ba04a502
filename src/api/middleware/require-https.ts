import type { Middleware } from 'koa'
import type { Deps } from '../../process/deps.js'
import { ApiError } from '../../domain/errors.js'
import { createRequestOrigin } from '../edge/request-origin.js'

/**
 * Spec: only HTTPS is to be used. Refuses what reaches a public HOST past the proxies that end TLS before us, and what
 * reached those in clear. It does not redirect: a client that went on working would send its key in clear again (OWASP
 * ASVS 5.0, 4.1.2).
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
