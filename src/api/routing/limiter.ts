import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** Length of the window of every limit, in seconds. */
export const WINDOW_S = 60

/** What is left of a quota: `remaining` requests for another `resetS` seconds. */
export type Quota = { readonly isAllowed: boolean; readonly remaining: number; readonly resetS: number }

/** Takes one from the quota of a key, by its id, or of an address. */
export type Limiter = (counted: string) => Promise<Quota>

/**
 * A limit per minute for each key or address, in this process. A window begins with the first request that it counts.
 *
 * @returns undefined for 0, which switches the limit off
 */
export function createLimiter(perMinute: number): Limiter | undefined {
  if (perMinute === 0) return undefined
  const memory = new RateLimiterMemory({ points: perMinute, duration: WINDOW_S })
  return async (counted) => {
    try {
      return toQuota(await memory.consume(counted), true)
    } catch (rejection) {
      if (rejection instanceof RateLimiterRes) return toQuota(rejection, false)
      throw rejection
    }
  }
}

const toQuota = ({ remainingPoints, msBeforeNext }: RateLimiterRes, isAllowed: boolean): Quota => ({
  isAllowed,
  remaining: remainingPoints,
  resetS: Math.max(1, Math.ceil(msBeforeNext / 1000)),
})
