import { isPaused, type EndpointHealth } from './health.ts'

/** What the circuit breaker lets a worker do with first attempts to an endpoint now. */
export type EndpointAdmission =
  | { readonly kind: 'free' }
  /** No first attempts now. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'probe' }
  /** At most `allowed` first attempts since `recoveredAt`, counted over all workers. */
  | { readonly kind: 'recovering'; readonly allowed: number }

/**
 * How long first attempts stay limited once the breaker closes: from one to 1,024 in all, doubling every second. After
 * that the slots limit the rate.
 */
const RECOVERY_MS = 10_000

/** What the health of an endpoint permits at this moment. */
export function admissionOf(health: EndpointHealth, now: Date): EndpointAdmission {
  const { probeAt } = health
  if (isPaused(health, now)) return { kind: 'wait' }
  if (probeAt !== null) return probeAt > now ? { kind: 'wait' } : { kind: 'probe' }
  const sinceMs = now.getTime() - (health.recoveredAt?.getTime() ?? -Infinity)
  return sinceMs >= RECOVERY_MS
    ? { kind: 'free' }
    : { kind: 'recovering', allowed: 2 ** (Math.max(0, sinceMs) / 1000) }
}

/** Until when workers must read the health before a first attempt; null if they need not. */
export function limitedUntil({ probeAt, pausedUntil, recoveredAt }: EndpointHealth): Date | null {
  if (probeAt !== null) return FOR_EVER
  const recovered = recoveredAt && new Date(recoveredAt.getTime() + RECOVERY_MS)
  // Stryker disable next-line EqualityOperator: of two equal ends, either does
  return (recovered ?? 0) > (pausedUntil ?? 0) ? recovered : pausedUntil
}

const FOR_EVER = new Date('9999-12-31T00:00:00.000Z')
