import type { Context, Middleware } from 'koa'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { ApiError } from '../../domain/errors.ts'
import { CHECKS } from '../../domain/key/check-order.ts'
import type { Quota, State } from '../auth/caller.ts'

/** Length of the window of every limit, in seconds. */
export const WINDOW_S = 60

/** Seconds until the window of a limiter's result ends; at least 1. */
export const secondsOf = ({ msBeforeNext }: RateLimiterRes): number =>
  Math.max(1, Math.ceil(msBeforeNext / 1000))

/**
 * A limit per minute for each key or session, in this process. A window begins with the first request that it counts.
 *
 * @returns a function that takes one request from the quota of an id; undefined for 0, which switches the limit off
 */
function createLimiter(perMinute: number) {
  if (perMinute === 0) return undefined
  const memory = new RateLimiterMemory({ points: perMinute, duration: WINDOW_S })
  return async (id: string): Promise<Quota & { readonly isAllowed: boolean }> => {
    // Like `consume`, but beyond the limit it does not reject.
    const taken = await memory.penalty(id)
    const { consumedPoints, remainingPoints: remaining } = taken
    return { isAllowed: consumedPoints <= perMinute, limit: perMinute, remaining, resetS: secondsOf(taken) }
  }
}

/**
 * Limits the requests of a key or a session, in each process by itself. Every answer from here on shows the quota in the
 * RateLimit headers of draft-ietf-httpapi-ratelimit-headers.
 *
 * @param perMinute requests; 0 is off
 * @returns a function that counts one request of an id. It throws ApiError RATE_LIMITED with Retry-After
 */
export function createRateLimit(perMinute: number, counted: 'key' | 'session') {
  const take = createLimiter(perMinute)
  return async (ctx: Context, id: string): Promise<void> => {
    ctx.state['isRated'] = true
    if (!take) return
    const { isAllowed, ...quota } = await take(id)
    ctx.state['quota'] = quota
    ctx.set('RateLimit-Policy', `"default";q=${perMinute};w=${WINDOW_S}`)
    ctx.set('RateLimit', `"default";r=${quota.remaining};t=${quota.resetS}`)
    if (isAllowed) return
    throw new ApiError('RATE_LIMITED', `This ${counted} may make ${perMinute} requests a minute.`, {
      headers: { 'Retry-After': String(quota.resetS) },
    })
  }
}

/** Counts one denied call of a key. Returns the refusal to answer: the given one, or RATE_LIMITED beyond the limit. */
export type DenialLimit = (keyId: string, denial: ApiError) => Promise<ApiError>

/**
 * Limits denied calls per key, minute and process (DENIED_CALLS_PER_MINUTE; 0 is off). Only denied calls are counted and
 * refused. A call that the key may make is never refused because of them.
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
 * Applies the limit of denied calls to the checks of route, method and scope. Authentication applies the limit to the
 * check of the allowlist: when that check fails, this middleware does not know the caller.
 */
export const limitDenials =
  (limit: DenialLimit): Middleware<State> =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { caller, isRated } = ctx.state
      // A rated call has already used the key's quota. Its 404 is about an object, not about the route.
      if (!caller || isRated || !(error instanceof ApiError) || !DENIAL_CODES.has(error.code)) throw error
      throw await limit(caller.id, error)
    }
  }
