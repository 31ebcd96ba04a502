/** Attempts that a webhook may have on the wire at once, counted in this process. */
export type Slots = {
  /** Takes a slot, using the delivery's reservation if it has one. Undefined when none is free. */
  take(webhookId: string, deliveryId: string): (() => void) | undefined
  /** Slots that the relay may still fill. */
  free(webhookId: string): number
  /** Holds a slot for a delivery that the relay is about to start; it lapses by itself. */
  reserve(webhookId: string, deliveryId: string): void
  /** How long an attempt that found no slot should stay away, in milliseconds. */
  deferralMs(webhookId: string): number
}

type Endpoint = {
  running: number
  readonly reservations: Map<string, number>
  /** Deferred attempts that are expected back, by the time at which they come. */
  queuedUntilMs: number
}

/** A started workflow normally reaches its gate within this time; afterwards its reservation is somebody else's. */
const RESERVATION_MS = 2_000
/** How long a slot is assumed to be taken when nothing is known: spaces the return of deferred attempts. */
const SLOT_TURN_MS = 1_000
const LONGEST_DEFERRAL_MS = 60_000

/**
 * Slots in process memory (design section 3 step 5). Deferred attempts come back one turn after the other, spread out
 * over the slots, so that ten thousand retries of one hung endpoint are a queue and not a storm.
 *
 * @param limit slots per webhook in this process now: WEBHOOK_CONCURRENCY divided by the live workers
 */
export function createSlots({ limit, now }: { limit: () => number; now: () => number }): Slots {
  const endpoints = new Map<string, Endpoint>()

  function endpointOf(webhookId: string): Endpoint {
    const known = endpoints.get(webhookId)
    if (known) return known
    const fresh: Endpoint = { running: 0, reservations: new Map(), queuedUntilMs: 0 }
    endpoints.set(webhookId, fresh)
    return fresh
  }

  function dropIfIdle(webhookId: string, endpoint: Endpoint): void {
    const isIdle =
      endpoint.running === 0 && endpoint.reservations.size === 0 && endpoint.queuedUntilMs <= now()
    if (isIdle) endpoints.delete(webhookId)
  }

  /** Slots in use, after reservations that lapsed were dropped. */
  function taken(endpoint: Endpoint): number {
    for (const [deliveryId, untilMs] of endpoint.reservations) {
      if (untilMs <= now()) endpoint.reservations.delete(deliveryId)
    }
    return endpoint.running + endpoint.reservations.size
  }

  return {
    take(webhookId, deliveryId) {
      const endpoint = endpointOf(webhookId)
      const isFull = taken(endpoint) >= limit()
      const isReserved = endpoint.reservations.delete(deliveryId)
      if (isFull && !isReserved) return undefined
      endpoint.running += 1
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        endpoint.running -= 1
        dropIfIdle(webhookId, endpoint)
      }
    },
    free(webhookId) {
      const endpoint = endpoints.get(webhookId)
      if (!endpoint) return limit()
      const free = Math.max(0, limit() - taken(endpoint))
      dropIfIdle(webhookId, endpoint)
      return free
    },
    reserve(webhookId, deliveryId) {
      endpointOf(webhookId).reservations.set(deliveryId, now() + RESERVATION_MS)
    },
    deferralMs(webhookId) {
      const endpoint = endpointOf(webhookId)
      const turnMs = SLOT_TURN_MS / limit()
      endpoint.queuedUntilMs = Math.max(endpoint.queuedUntilMs, now()) + turnMs
      return Math.round(Math.min(Math.max(endpoint.queuedUntilMs - now(), turnMs), LONGEST_DEFERRAL_MS))
    },
  }
}
