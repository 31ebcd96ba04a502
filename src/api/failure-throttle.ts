import { ApiError } from '../domain/errors.js'
import { subjectOfAddress } from './address-subject.js'
import { createLimiter } from './limiter.js'

/** Counts one failed authentication of an address; gives the refusal to answer in place of a 401 once it is too many. */
export type FailureThrottle = (address: string) => Promise<ApiError | undefined>

/**
 * Failed authentications per address and minute (AUTH_FAILURES_PER_MINUTE, 0 is off). Only failures are counted and
 * refused: a valid key is never turned away for the address it comes from.
 */
export function createFailureThrottle(perMinute: number): FailureThrottle {
  const consume = createLimiter(perMinute)
  return async (address) => {
    const quota = await consume?.(subjectOfAddress(address))
    if (!quota || quota.isAllowed) return undefined
    return new ApiError('RATE_LIMITED', 'Too many requests without a valid API key from this address.', {
      headers: { 'Retry-After': String(quota.resetS) },
    })
  }
}
