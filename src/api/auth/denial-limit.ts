import { ApiError } from '../../domain/errors.ts'
import { createLimiter } from '../middleware/rate-limit.ts'
import type { Middleware } from 'koa'
import { CHECKS } from '../../domain/key/check-order.ts'
import type { State } from './caller.ts'

/** Counts one denied call of a key. Returns the refusal to answer: the given one, or RATE_LIMITED beyond the limit. */
export type DenialLimit = (keyId: string, denial: ApiError) => Promise<ApiError>

/**
 * Limits denied calls per key, minute and process (DENIED_CALLS_PER_MINUTE, 0 is off). Only denied calls are counted and
 * refused: a call that the key may make is never refused because of them.
 */
export function createDenialLimit(perMinute: number): DenialLimit {
  const take = createLimiter(perMinute)
  return async (keyId, denial) => {
    const quota = await take?.(keyId)
    if (!quota || quota.isAllowed) return denial
    return new ApiError(
      'RATE_LIMITED',
      `This key made more than ${perMinute} calls a minute that it may not make: check its scopes, its IP allowlist, the path and the method.`,
      { cause: denial, headers: { 'Retry-After': String(quota.resetS) } },
    )
  }
}

const DENIAL_CODES = new Set<string>(CHECKS.filter((check) => 'isDenial' in check).map(({ code }) => code))

/**
 * Applies the limit of denied calls to route, method and scope. Authentication applies it to the allowlist itself, because
 * the caller is not known here when that check throws.
 */
export const limitDenials =
  (limit: DenialLimit): Middleware<State> =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { caller, isRated } = ctx.state
      // After the rate limit the call has spent its key's quota, and a 404 is about an object, not about the route.
      if (!caller || isRated || !(error instanceof ApiError) || !DENIAL_CODES.has(error.code)) throw error
      throw await limit(caller.id, error)
    }
  }
