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
  readonly startedAt: Date
  /** The pause that the endpoint asked for, in milliseconds. */
  readonly askedPauseMs: number | undefined
}

/** What a worker does with first attempts of a webhook now. */
export type Admission =
  | { readonly kind: 'free' }
  /** None, until the time that `holdsFirstAttempts` looks at. */
  | { readonly kind: 'hold' }
  | { readonly kind: 'probe' }
  /** So many since `recoveredAt`, of all workers together. */
  | { readonly kind: 'recovering'; readonly allowed: number }

/** Failed attempts one after the other, with which an endpoint counts as failing. */
export const FAILURES_IN_A_ROW = 20
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** The longest pause that an endpoint can ask for. */
const LONGEST_ASKED_PAUSE_MS = 3_600_000
/** From one first attempt to 1,024 in all, doubling every second. By then the slots are what limits the rate. */
const RECOVERY_MS = 10_000

export const HEALTHY: EndpointHealth = {
  consecutiveFailures: 0,
  failingSince: null,
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

function probeAfter(failedProbes: number, now: Date) {
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failedProbes, LONGEST_PAUSE_MS)
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

/** Whether first attempts are held back now, for people who look at a delivery. */
export const holdsFirstAttempts = (health: EndpointHealth, now: Date): boolean =>
  health.probeAt !== null || isPaused(health, now)

/**
 * The health in one word, for people. `ok`: the latest attempt succeeded, or none was made. `failures`: the latest attempts
 * failed, fewer than FAILURES_IN_A_ROW. `failing`, `paused`: first attempts are held back, see EndpointHealth.
 */
export type HealthState = 'ok' | 'failures' | 'failing' | 'paused'

export function healthState(health: EndpointHealth, now: Date): HealthState {
  if (isPaused(health, now)) return 'paused'
  if (health.probeAt !== null) return 'failing'
  return health.consecutiveFailures > 0 ? 'failures' : 'ok'
}

/** What a worker does with first attempts at this moment. */
export function admissionOf(health: EndpointHealth, now: Date): Admission {
  const { probeAt } = health
  if (isPaused(health, now)) return { kind: 'hold' }
  if (probeAt !== null) return probeAt > now ? { kind: 'hold' } : { kind: 'probe' }
  const sinceMs = now.getTime() - (health.recoveredAt?.getTime() ?? -Infinity)
  return sinceMs >= RECOVERY_MS
    ? { kind: 'free' }
    : { kind: 'recovering', allowed: 2 ** (Math.max(0, sinceMs) / 1000) }
}

/** Until when workers must look at the health before a first attempt: null when they need not. */
export function limitedUntil({ probeAt, pausedUntil, recoveredAt }: EndpointHealth): Date | null {
  if (probeAt !== null) return FOR_EVER
  const recovered = recoveredAt && new Date(recoveredAt.getTime() + RECOVERY_MS)
  if (pausedUntil && recovered) return pausedUntil > recovered ? pausedUntil : recovered
  return pausedUntil ?? recovered
}

const FOR_EVER = new Date('9999-12-31T00:00:00.000Z')
