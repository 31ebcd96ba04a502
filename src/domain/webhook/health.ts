import { doublingPause } from '../doubling.ts'
import { countsAgainstEndpoint, NONE_COUNTED, withFailure, type CountedFailures } from './long-failure.ts'

/**
 * What attempts have shown about a webhook's endpoint, and what that means for the first attempts of its deliveries.
 * Later attempts keep to their own schedule.
 *
 * - Free: first attempts go out as slots allow.
 * - Failing: FAILURES_IN_A_ROW attempts failed one after the other. First attempts go one at a time, as probes. The pause
 *   between two of them doubles from 1 s to 60 s. The first 2xx, an activation or a new URL ends this.
 * - Paused: the endpoint asked for a pause (Retry-After). No first attempt goes out until it is over.
 * - Recovering: after it failed, the rate of first attempts doubles every second, until slots alone limit it.
 */
export type EndpointHealth = {
  readonly consecutiveFailures: number
  /** When the first of these failures was recorded. */
  readonly failingSince: Date | null
  /** The code of the latest of them, such as http_500. */
  readonly lastError: string | null
  readonly counted: CountedFailures
  /** When somebody was warned that the webhook will be deactivated if this goes on. */
  readonly warnedAt: Date | null
  /** While failing: when the next probe may go. Null otherwise. */
  readonly probeAt: Date | null
  /** Probes that failed since the endpoint counts as failing. */
  readonly failedProbes: number
  /** The delivery whose attempt is the probe under way. */
  readonly probeDeliveryId: string | null
  readonly pausedUntil: Date | null
  /** When first attempts were last allowed again. */
  readonly recoveredAt: Date | null
}

/** The part of an attempt's outcome that tells something about the endpoint. */
export type EndpointSign = {
  readonly deliveryId: string
  readonly isSuccess: boolean
  /** It answered 410 Gone, so its webhook becomes inactive. */
  readonly isGone: boolean
  /** What came of it as a code, such as http_500 or dns_error. */
  readonly code: string
  readonly startedAt: Date
  /** The pause that the endpoint asked for, in milliseconds. */
  readonly askedPauseMs: number | undefined
}

/** Failed attempts one after the other, with which an endpoint counts as failing. */
export const FAILURES_IN_A_ROW = 20
const PAUSE_MS = { first: 1_000, longest: 60_000 }
/** The longest pause that an endpoint can ask for. */
const LONGEST_ASKED_PAUSE_MS = 3_600_000

export const HEALTHY: EndpointHealth = {
  consecutiveFailures: 0,
  failingSince: null,
  lastError: null,
  counted: NONE_COUNTED,
  warnedAt: null,
  probeAt: null,
  failedProbes: 0,
  probeDeliveryId: null,
  pausedUntil: null,
  recoveredAt: null,
}

/** The health after an attempt's outcome was recorded. */
export function afterOutcome(health: EndpointHealth, sign: EndpointSign, now: Date): EndpointHealth {
  if (sign.isSuccess) return afterSuccess(health, now)
  if (sign.isGone) return afterChange(now)
  // The request went to a former URL, or to the endpoint as it was before.
  if (health.recoveredAt !== null && sign.startedAt < health.recoveredAt) return health
  const failed = {
    ...health,
    consecutiveFailures: health.consecutiveFailures + 1,
    failingSince: health.failingSince ?? now,
    lastError: sign.code,
    counted: countsAgainstEndpoint(sign.code) ? withFailure(health.counted, now) : health.counted,
    pausedUntil: pauseEnd(health, sign, now),
  }
  if (health.probeAt === null) {
    const isFailing = failed.consecutiveFailures >= FAILURES_IN_A_ROW
    return isFailing ? { ...failed, ...probeAfter(0, now) } : failed
  }
  // Attempts that began before the probe, and retries, say nothing new: only the probe moves the next one.
  if (sign.deliveryId !== health.probeDeliveryId) return failed
  return { ...failed, ...probeAfter(health.failedProbes + 1, now) }
}

/** A 2xx ends the probes, but not the pause that the endpoint asked for: others of its answers may have been 2xx. */
function afterSuccess(health: EndpointHealth, now: Date): EndpointHealth {
  const { pausedUntil, probeAt, recoveredAt } = health
  return { ...HEALTHY, pausedUntil, recoveredAt: probeAt === null ? recoveredAt : now }
}

/** An activation, a deactivation or a new URL: nothing that was seen before counts any more. */
export const afterChange = (now: Date): EndpointHealth => ({ ...HEALTHY, recoveredAt: now })

/** A deactivation because the endpoint failed for days. Its owner still sees since when, and why. */
export const afterLongFailure = (health: EndpointHealth, now: Date): EndpointHealth => ({
  ...afterChange(now),
  consecutiveFailures: health.consecutiveFailures,
  failingSince: health.failingSince,
  lastError: health.lastError,
  warnedAt: health.warnedAt,
})

/**
 * Whether the sign only adds to the counts of a failing endpoint: it starts, moves and ends nothing. It may be written
 * later then, together with others.
 */
export const onlyCounts = (health: EndpointHealth, sign: EndpointSign, now: Date): boolean =>
  health.probeAt !== null &&
  !sign.isSuccess &&
  !sign.isGone &&
  sign.deliveryId !== health.probeDeliveryId &&
  pauseEnd(health, sign, now) === health.pausedUntil

function probeAfter(failedProbes: number, now: Date) {
  const pauseMs = doublingPause(PAUSE_MS, failedProbes)
  return { failedProbes, probeAt: new Date(now.getTime() + pauseMs), probeDeliveryId: null }
}

/**
 * Until when the endpoint is paused. A pause that goes on gets no longer: attempts under way, and retries, which keep
 * coming, may all be told to wait, and first attempts must come through between two pauses.
 */
function pauseEnd(health: EndpointHealth, { askedPauseMs = 0 }: EndpointSign, now: Date): Date | null {
  if (askedPauseMs <= 0 || isPaused(health, now)) return health.pausedUntil
  return new Date(now.getTime() + Math.min(askedPauseMs, LONGEST_ASKED_PAUSE_MS))
}

/** Whether the pause that the endpoint asked for goes on. */
export const isPaused = ({ pausedUntil }: EndpointHealth, now: Date): boolean =>
  pausedUntil !== null && pausedUntil > now

/** Whether first attempts wait now because the endpoint fails or asked for a pause. */
export const holdsFirstAttempts = (health: EndpointHealth, now: Date): boolean =>
  health.probeAt !== null || isPaused(health, now)
