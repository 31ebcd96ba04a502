import type { Context } from 'koa'
import { ApiError } from '../../domain/errors.ts'
import { createLimiter, WINDOW_S, type Quota } from '../routing/limiter.ts'

/** What is left of the caller's quota after this request. */
export type ShownQuota = Pick<Quota, 'remaining' | 'resetS'> & {
  /** Requests a minute. */
  readonly limit: number
}

/**
 * Limits the requests of a key or a session, in each process by itself. Every answer from here on shows the quota in the
 * RateLimit headers of draft-ietf-httpapi-ratelimit-headers.
 *
 * @param perMinute requests; 0 is off
 * @returns what counts one request by an id. It throws ApiError RATE_LIMITED with Retry-After
 */
export function createRateLimit(perMinute: number, counted: 'key' | 'session') {
  const consume = createLimiter(perMinute)
  return async (ctx: Context, id: string): Promise<void> => {
    ctx.state['isRated'] = true
    if (!consume) return
    const { isAllowed, remaining, resetS } = await consume(id)
    ctx.state['quota'] = { limit: perMinute, remaining, resetS } satisfies ShownQuota
    ctx.set('RateLimit-Policy', `"default";q=${perMinute};w=${WINDOW_S}`)
    ctx.set('RateLimit', `"default";r=${remaining};t=${resetS}`)
    if (isAllowed) return
    throw new ApiError('RATE_LIMITED', `This ${counted} may make ${perMinute} requests a minute.`, {
      headers: { 'Retry-After': String(resetS) },
    })
  }
}
