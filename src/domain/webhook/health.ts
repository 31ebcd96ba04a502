import { doublingPause } from '../doubling.ts'
import type { Tenant } from '../tenant.ts'
import { countsAgainstEndpoint, NONE_COUNTED, withFailure, type CountedFailures } from './long-failure.ts'

/*
 * The circuit breaker: what attempts have shown about a webhook's endpoint, and what follows for first attempts.
 * Retries keep to their schedule, and retries by hand go at once. Each delivery that waits has one row in the outbox.
 *
 * - Closed: first attempts go out as slots allow.
 * - Open (the endpoint counts as failing): FAILURES_IN_A_ROW attempts failed one after the other. First attempts go one
 *   at a time, as probes. The pause before the next probe doubles from 1 s to 60 s.
 * - Paused, whether open or closed: the endpoint asked for a pause (Retry-After). No first attempt goes out until the
 *   pause is over.
 * - Recovering: after the breaker has closed, or after a new beginning, the rate of first attempts doubles every second
 *   for 10 s. After that only the slots limit it.
 *
 * Who changes the breaker's state: the transaction that records an attempt, by afterOutcome
 * (attempts/endpoint-signs.ts). Only the outcome of the probe sets the time of the next probe, because retries, and
 * attempts that began before the probe, show nothing new. Any 2xx closes the breaker, even the 2xx of a test event. A
 * failed test event does not count. An activation, a deactivation, a resumption or a new URL is a new beginning. Some
 * failures only add to the counts of an open breaker. They wait in the worker until a second after the latest change of
 * the row, but at most 5 s. While another transaction locks the row, the signs of all attempts wait in the worker.
 *
 * Who obeys it: the relay. attempts/endpoint-limits.ts knows the endpoints whose breaker is not closed. It learns
 * within 250 ms what other workers recorded. Only one worker gets each probe, by an UPDATE of the row
 * (db/webhook/endpoint-health.ts). That worker gives the probe back if nothing was sent.
 *
 * What survives a crash of the worker: the row of webhook_health. A probe under way comes again at the end of its
 * lease. What waits in the worker is lost. The row then counts too few failures, so no webhook is deactivated too
 * early.
 */

/** The state of an endpoint, as far as attempts have shown it. */
export type EndpointHealth = {
  readonly consecutiveFailures: number
  /** When the first of the consecutive failures was recorded. */
  readonly failingSince: Date | null
  /** The code of the latest consecutive failure, such as http_500. */
  readonly lastError: string | null
  readonly counted: CountedFailures
  /** When the owner was warned that the webhook will be deactivated if the failures go on. */
  readonly warnedAt: Date | null
  /** While the endpoint counts as failing: when the next probe may go. null otherwise. */
  readonly probeAt: Date | null
  /** How many probes have failed since the breaker opened. */
  readonly failedProbes: number
  /** The delivery whose attempt is the probe under way. */
  readonly probeDeliveryId: string | null
  readonly pausedUntil: Date | null
  /** When the breaker last closed, or when the latest new beginning was. */
  readonly recoveredAt: Date | null
}

/** The part of an attempt's outcome that says something about the endpoint. */
export type EndpointSign = {
  readonly deliveryId: string
  readonly isSuccess: boolean
  /** Whether it answered 410 Gone. Then its webhook becomes inactive. */
  readonly isGone: boolean
  /** The outcome as a code, such as http_500 or dns_error. */
  readonly code: string
  /** When the attempt began, by the worker's clock. */
  readonly startedAt: Date
  /** The pause that the endpoint asked for, in milliseconds. */
  readonly askedPauseMs: number | undefined
}

/** After this many failed attempts in a row an endpoint counts as failing. */
export const FAILURES_IN_A_ROW = 20
const PAUSE_MS = { first: 1_000, longest: 60_000 }
/** The longest pause that an endpoint can ask for, in milliseconds. */
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
  // The request went to a former URL, or to the endpoint as it was before `recoveredAt`. That time is by the database's
  // clock. So if the worker's clock is behind, failures are ignored for longer, by the difference.
  // Stryker disable next-line ConditionalExpression: null means 1970, and no attempt began before that; this is for the compiler
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
  // Retries, and attempts that began before the probe, show nothing new. So only the probe sets the time of the next
  // one.
  if (sign.deliveryId !== health.probeDeliveryId) return failed
  return { ...failed, ...probeAfter(health.failedProbes + 1, now) }
}

/**
 * A 2xx ends the probes, but not a pause that the endpoint asked for. An endpoint may answer some requests with 2xx,
 * and others with a request to wait.
 */
function afterSuccess(health: EndpointHealth, now: Date): EndpointHealth {
  const { pausedUntil, probeAt, recoveredAt } = health
  return { ...HEALTHY, pausedUntil, recoveredAt: probeAt === null ? recoveredAt : now }
}

/** A new beginning, such as a new URL: earlier attempts no longer count. */
export const afterChange = (now: Date): EndpointHealth => ({ ...HEALTHY, recoveredAt: now })

/** The health after a deactivation because the endpoint failed for days. The owner can still see since when and why. */
export const afterLongFailure = (health: EndpointHealth, now: Date): EndpointHealth => ({
  ...afterChange(now),
  consecutiveFailures: health.consecutiveFailures,
  failingSince: health.failingSince,
  lastError: health.lastError,
  warnedAt: health.warnedAt,
})

/**
 * Whether the sign only adds to the counts of a failing endpoint, and changes nothing else. Such a sign may be written
 * later, together with others.
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
 * Until when the endpoint is paused. No answer extends a pause under way. Retries and attempts under way still reach
 * the endpoint during a pause. If each of their answers extended the pause, no first attempt would ever go out.
 */
function pauseEnd(health: EndpointHealth, { askedPauseMs = 0 }: EndpointSign, now: Date): Date | null {
  if (askedPauseMs <= 0 || isPaused(health, now)) return health.pausedUntil
  return new Date(now.getTime() + Math.min(askedPauseMs, LONGEST_ASKED_PAUSE_MS))
}

/** Whether a pause that the endpoint asked for is under way. */
export const isPaused = ({ pausedUntil }: EndpointHealth, now: Date): boolean =>
  // Stryker disable next-line ConditionalExpression: null means 1970, which is past; this is for the compiler
  pausedUntil !== null && pausedUntil > now

/** Whether first attempts wait now, because the endpoint fails or asked for a pause. */
export const holdsFirstAttempts = (health: EndpointHealth, now: Date): boolean =>
  health.probeAt !== null || isPaused(health, now)

/** What the circuit breaker lets a worker do now with first attempts to an endpoint. */
export type EndpointAdmission =
  | { readonly kind: 'free' }
  /** No first attempts now. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'probe' }
  /** At most `allowed` first attempts since `recoveredAt`, counted over all workers. */
  | { readonly kind: 'recovering'; readonly allowed: number }

/**
 * How long first attempts stay limited after the breaker closes. Their limit doubles every second, from one to 1,024
 * attempts in all. After that only the slots limit their rate.
 */
const RECOVERY_MS = 10_000
const FOR_EVER = new Date('9999-12-31T00:00:00.000Z')

/** What the health of an endpoint allows at this moment. */
export function admissionOf(health: EndpointHealth, now: Date): EndpointAdmission {
  const { probeAt } = health
  if (isPaused(health, now)) return { kind: 'wait' }
  if (probeAt !== null) return probeAt > now ? { kind: 'wait' } : { kind: 'probe' }
  const sinceMs = now.getTime() - (health.recoveredAt?.getTime() ?? -Infinity)
  return sinceMs >= RECOVERY_MS
    ? { kind: 'free' }
    : { kind: 'recovering', allowed: 2 ** (Math.max(0, sinceMs) / 1000) }
}

/** Until when workers must read the health before a first attempt; null: first attempts are not limited. */
export function limitedUntil({ probeAt, pausedUntil, recoveredAt }: EndpointHealth): Date | null {
  if (probeAt !== null) return FOR_EVER
  const recovered = recoveredAt && new Date(recoveredAt.getTime() + RECOVERY_MS)
  // Stryker disable next-line EqualityOperator: if the two ends are equal, it does not matter which one is returned
  return (recovered ?? 0) > (pausedUntil ?? 0) ? recovered : pausedUntil
}

/**
 * The health of a webhook in one word, for people.
 *
 * - `disabled`: the webhook is inactive, so nothing is sent.
 * - `failing`: its latest attempt failed, whether or not the circuit breaker is open.
 * - `healthy`: its latest attempt succeeded, or no attempt was made since the last new beginning.
 */
export const HEALTH_STATES = ['healthy', 'failing', 'disabled'] as const

export type HealthState = (typeof HEALTH_STATES)[number]

export function healthState(
  { isActive }: { readonly isActive: boolean },
  { consecutiveFailures }: EndpointHealth,
): HealthState {
  if (!isActive) return 'disabled'
  return consecutiveFailures > 0 ? 'failing' : 'healthy'
}

/** An active webhook whose endpoint fails, with its tenant. */
export type FailingWebhook = {
  readonly id: string
  readonly name: string
  readonly tenant: Tenant
  readonly companyName: string
  readonly health: EndpointHealth
  /** How many of its deliveries are open. */
  readonly waiting: number
  /** When the webhook was read, by the database's clock. */
  readonly now: Date
}
