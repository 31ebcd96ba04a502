import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../../domain/errors.js'
import { countedAddress } from './counted-address.js'
import { createLimiter } from '../routing/limiter.js'

/** Counts one failed authentication of an address; gives the refusal to answer in place of a 401 once it is too many. */
export type FailureThrottle = (address: string) => Promise<ApiError | undefined>

/** How long such a refusal waits: who calls again as soon as an answer comes is slowed to twice a second and connection. */
const REFUSAL_DELAY_MS = 500

/**
 * Failed authentications per address and minute (AUTH_FAILURES_PER_MINUTE, 0 is off). Only failures are counted and
 * refused, and the refusals come late: a valid key is neither turned away nor delayed for the address it comes from.
 */
export function createFailureThrottle(perMinute: number): FailureThrottle {
  const consume = createLimiter(perMinute)
  return async (address) => {
    const quota = await consume?.(countedAddress(address))
    if (!quota || quota.isAllowed) return undefined
    await delay(REFUSAL_DELAY_MS)
    return new ApiError('RATE_LIMITED', 'Too many requests without a valid API key from this address.', {
      headers: { 'Retry-After': String(quota.resetS) },
    })
  }
}
