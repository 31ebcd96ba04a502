import { setTimeout as delay } from 'node:timers/promises'
import { Drain } from '../../domain/buffers.ts'
import { ApiError } from '../../domain/errors.ts'
import type { SystemDeps } from '../../deps/deps.ts'
import { WINDOW_S } from '../middleware/rate-limit.ts'
import { countedAddress } from '../edge/request.ts'
import { SharedLimit } from './shared-limit.ts'

/**
 * Counts one failed authentication of an address: a key or a session that is not valid. Beyond the limit it returns the
 * error to send instead of the 401.
 */
export type FailureThrottle = (address: string) => Promise<ApiError | undefined>

/** How long a refusal beyond the limit is delayed. A client that waits for each answer can then fail at most twice a second. */
const REFUSAL_DELAY_MS = 500
/**
 * Each refusal that already waits delays the next one by this much more. So the answers to a burst are spread, and hold
 * up no other request.
 */
const REFUSALS_APART_MS = 3
/**
 * A process delays at most this many refusals at once. Each refusal occupies a connection. It may be the connection of
 * a proxy with many clients.
 */
const DELAYED_AT_ONCE = 500

/**
 * A process reports an address to the other processes after each tenth of the limit. So a few failures cost the
 * database nothing.
 */
const REPORTS = 10
/** The pause after each report. So a process writes at most 20 reports a second, however many addresses fail. */
const REPORT_REST_MS = 50
/** At most this many addresses wait for their report. Further addresses are counted in this process only. */
const WAITING_REPORTS = 1_000

/**
 * Limits failed authentications per address and minute, over all api processes (AUTH_FAILURES_PER_MINUTE; 0 is off).
 * Only failures are counted, refused and delayed, never a request with a valid key. A refusal beyond the limit ends the
 * connection: requests that the client sent after the refused one are not carried out. Each process may let a tenth of
 * the limit pass before it reports.
 */
export function createFailureThrottle(deps: Pick<SystemDeps, 'config' | 'db'>): FailureThrottle {
  const points = deps.config.authFailuresPerMinute
  if (points === 0) return () => Promise.resolve(undefined)
  const limit = new SharedLimit(deps, { name: 'auth', points, durationS: WINDOW_S })
  const addReport = createReports(limit)
  const step = Math.ceil(points / REPORTS)
  let delayed = 0
  return async (address) => {
    const counted = countedAddress(address)
    const { count, waitS } = await limit.take(counted)
    if (waitS === 0) {
      if (count % step === 0) addReport(counted, step)
      return undefined
    }
    if (delayed < DELAYED_AT_ONCE) {
      const delayMs = REFUSAL_DELAY_MS + delayed * REFUSALS_APART_MS
      delayed++
      await delay(delayMs).finally(() => delayed--)
    }
    return new ApiError(
      'RATE_LIMITED',
      'Too many requests without a valid API key or session from this address.',
      { headers: { 'Retry-After': String(waitS), Connection: 'close' } },
    )
  }
}

/** Writes the failures of addresses to the database, one address after the other. No request waits for that. */
function createReports(limit: SharedLimit) {
  const waiting = new Map<string, number>()
  const writeNext = async () => {
    const [next] = waiting
    if (!next) return
    waiting.delete(next[0])
    await limit.report(...next)
    await delay(REPORT_REST_MS, undefined, { ref: false })
  }
  const drain = new Drain(() => waiting.size > 0, writeNext)
  return (counted: string, failures: number): void => {
    const before = waiting.get(counted)
    if (before === undefined && waiting.size >= WAITING_REPORTS) return
    waiting.set(counted, (before ?? 0) + failures)
    void drain.run()
  }
}
