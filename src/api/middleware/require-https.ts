import type { Middleware } from 'koa'
import type { Deps } from '../../process/deps.ts'
import { ApiError } from '../../domain/errors.ts'
import { createRequestOrigin } from '../edge/request-origin.ts'

/**
 * Spec (API keys): keys travel only over HTTPS. Refuses a request that reached a public HOST without passing the
 * proxies that end TLS, and one that reached those proxies unencrypted. It does not redirect: the client would work,
 * and would go on sending its key unencrypted (OWASP ASVS 5.0, 4.1.2).
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
