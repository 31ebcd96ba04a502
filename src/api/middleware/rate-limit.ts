import type { Context } from 'koa'
import type { Deps } from '../../process/deps.js'
import { ApiError } from '../../domain/errors.js'
import { isId } from '../../domain/ids.js'
import type { Caller } from '../auth/caller.js'
import { createLimiter, WINDOW_S } from '../routing/limiter.js'

/**
 * The limit per key or user, and process (RATE_LIMIT_PER_MINUTE, 0 is off). Every answer from here on shows the quota in the
 * RateLimit headers of draft-ietf-httpapi-ratelimit-headers.
 *
 * @throws ApiError RATE_LIMITED with Retry-After
 */
export function createRateLimit({ config }: Pick<Deps, 'config'>) {
  const perMinute = config.rateLimitPerMinute
  const consume = createLimiter(perMinute)
  return async (ctx: Context, { id }: Caller): Promise<void> => {
    ctx.state['isRated'] = true
    if (!consume) return
    const { isAllowed, remaining, resetS } = await consume(id)
    ctx.set('RateLimit-Policy', `"default";q=${perMinute};w=${WINDOW_S}`)
    ctx.set('RateLimit', `"default";r=${remaining};t=${resetS}`)
    if (isAllowed) return
    throw new ApiError(
      'RATE_LIMITED',
      `This ${isId('user', id) ? 'user' : 'key'} may make ${perMinute} requests a minute.`,
      {
        headers: { 'Retry-After': String(resetS) },
      },
    )
  }
}
