import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../../domain/errors.ts'
import { countedAddress } from './counted-address.ts'
import { createLimiter } from '../routing/limiter.ts'

/** Counts one failed authentication of an address. Beyond the limit it returns the refusal to answer in place of a 401. */
export type FailureThrottle = (address: string) => Promise<ApiError | undefined>

/** Delay of such a refusal: it slows a client that waits for each answer to two calls a second on each connection. */
const REFUSAL_DELAY_MS = 500
/** Refusals that wait at once in a process. Each has a connection, and connections are limited: behind a proxy they are shared. */
const LATE_AT_ONCE = 500

/**
 * Limits failed authentications per address and minute (AUTH_FAILURES_PER_MINUTE, 0 is off). Only failures are counted,
 * refused and delayed: a valid key from the same address is not. The connection ends with such a refusal, and what the client
 * sent behind it is not carried out.
 */
export function createFailureThrottle(perMinute: number): FailureThrottle {
  const consume = createLimiter(perMinute)
  let late = 0
  return async (address) => {
    const quota = await consume?.(countedAddress(address))
    if (!quota || quota.isAllowed) return undefined
    if (late < LATE_AT_ONCE) {
      late++
      await delay(REFUSAL_DELAY_MS).finally(() => late--)
    }
    return new ApiError('RATE_LIMITED', 'Too many requests without a valid API key from this address.', {
      headers: { 'Retry-After': String(quota.resetS), Connection: 'close' },
    })
  }
}
