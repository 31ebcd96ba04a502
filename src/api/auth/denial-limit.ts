import { ApiError } from '../../domain/errors.ts'
import { createLimiter } from '../routing/limiter.ts'

/** Counts one denied call of a key. Returns the refusal to answer: the given one, or RATE_LIMITED beyond the limit. */
export type DenialLimit = (keyId: string, denial: ApiError) => Promise<ApiError>

/**
 * Limits denied calls per key, minute and process (DENIED_CALLS_PER_MINUTE, 0 is off). Only denied calls are counted and
 * refused: a call that the key may make is never refused because of them.
 */
export function createDenialLimit(perMinute: number): DenialLimit {
  const consume = createLimiter(perMinute)
  return async (keyId, denial) => {
    const quota = await consume?.(keyId)
    if (!quota || quota.isAllowed) return denial
    return new ApiError(
      'RATE_LIMITED',
      `This key made more than ${perMinute} calls a minute that it may not make: check its scopes, its IP allowlist, the path and the method.`,
      { cause: denial, headers: { 'Retry-After': String(quota.resetS) } },
    )
  }
}
