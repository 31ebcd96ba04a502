import { createDeferrals, type Deferrals } from './deferrals.js'

/** Attempts that a webhook may have on the wire at once, counted in this process. */
export type Slots = {
  /** Takes a slot, using the delivery's reservation if it has one. Undefined when none is free. */
  take(webhookId: string, deliveryId: string): (() => void) | undefined
  /** Slots that the relay may fill now. */
  free(webhookId: string): number
  /** Holds a slot for a delivery that the relay is about to start; it lapses by itself. */
  reserve(webhookId: string, deliveryId: string): void
  /** How long an attempt that found no slot should stay away, in milliseconds; one is then kept for it. */
  deferralMs(webhookId: string, deliveryId: string): number
}

type Endpoint = {
  running: number
  readonly reservations: Map<string, number>
  readonly deferrals: Deferrals
  /** How long an attempt holds its slot, as a moving average; undefined until one was over. */
  heldMs: number | undefined
  /** The relay may not start the next delivery before this time. */
  nextStartMs: number
}

/** A started workflow normally reaches its gate within this time; afterwards its reservation is somebody else's. */
const RESERVATION_MS = 2_000
/** How long a slot is assumed to be held when nothing is known. */
const UNKNOWN_HELD_MS = 1_000
/** Weight of the latest attempt in the moving average. */
const LATEST_WEIGHT = 0.3
/** Starts that were not made in the last moment may be made up for: the relay looks only every so often. */
const CATCH_UP_MS = 100
/** Starts come at this multiple of the rate at which slots get free: spread out, but never the narrow place. */
const START_RATE = 2

/**
 * Slots in process memory (design section 3 step 5). What a slow endpoint asks for is spread out over the time that it
 * holds its slots: its starts, so that ten hung attempts do not end and begin together and keep everybody else waiting,
 * and the return of deferred attempts, so that ten thousand retries are a queue and not a storm. Deferred attempts come
 * back at half the rate at which slots get free and find one kept for them; the other half is for the relay.
 *
 * @param limit slots per webhook in this process now: WEBHOOK_CONCURRENCY divided by the live workers
 */
export function createSlots({ limit, now }: { limit: () => number; now: () => number }): Slots {
  const endpoints = new Map<string, Endpoint>()

  function endpointOf(webhookId: string): Endpoint {
    const known = endpoints.get(webhookId)
    if (known) return known
    const fresh: Endpoint = {
      running: 0,
      reservations: new Map(),
      deferrals: createDeferrals(),
      heldMs: undefined,
      nextStartMs: 0,
    }
    endpoints.set(webhookId, fresh)
    return fresh
  }

  function dropIfIdle(webhookId: string, endpoint: Endpoint): void {
    const isIdle = endpoint.running === 0 && endpoint.reservations.size === 0
    if (isIdle && endpoint.deferrals.isEmpty(now())) endpoints.delete(webhookId)
  }

  /** Slots in use, after reservations that lapsed were dropped. */
  function taken(endpoint: Endpoint): number {
    for (const [deliveryId, untilMs] of endpoint.reservations) {
      if (untilMs <= now()) endpoint.reservations.delete(deliveryId)
    }
    return endpoint.running + endpoint.reservations.size
  }

  /** Time between two slots that get free. */
  const turnMs = ({ heldMs = UNKNOWN_HELD_MS }: Endpoint) => Math.max(heldMs, 1) / limit()

  /** Starts that the pace of the endpoint allows now; any number while nothing is known of it. */
  function startsAllowed(endpoint: Endpoint): number {
    const lateMs = Math.min(now() - endpoint.nextStartMs, CATCH_UP_MS)
    if (endpoint.heldMs === undefined) return limit()
    return lateMs < 0 ? 0 : 1 + Math.floor((lateMs * START_RATE) / turnMs(endpoint))
  }

  function release(webhookId: string, endpoint: Endpoint, heldMs: number): void {
    const before = endpoint.heldMs ?? heldMs
    endpoint.heldMs = before + LATEST_WEIGHT * (heldMs - before)
    endpoint.running -= 1
    dropIfIdle(webhookId, endpoint)
  }

  return {
    take(webhookId, deliveryId) {
      const endpoint = endpointOf(webhookId)
      const isFull = taken(endpoint) >= limit()
      const isReserved = endpoint.reservations.delete(deliveryId)
      endpoint.deferrals.remove(deliveryId)
      if (isFull && !isReserved) return undefined
      endpoint.running += 1
      const takenAtMs = now()
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        release(webhookId, endpoint, now() - takenAtMs)
      }
    },
    free(webhookId) {
      const endpoint = endpoints.get(webhookId)
      if (!endpoint) return limit()
      const kept = endpoint.deferrals.countDue(now(), Math.min(turnMs(endpoint), RESERVATION_MS))
      const free = Math.max(0, Math.min(limit() - taken(endpoint) - kept, startsAllowed(endpoint)))
      dropIfIdle(webhookId, endpoint)
      return free
    },
    reserve(webhookId, deliveryId) {
      const endpoint = endpointOf(webhookId)
      endpoint.reservations.set(deliveryId, now() + RESERVATION_MS)
      const paceMs = turnMs(endpoint) / START_RATE
      endpoint.nextStartMs = Math.max(endpoint.nextStartMs, now() - CATCH_UP_MS) + paceMs
    },
    deferralMs(webhookId, deliveryId) {
      const endpoint = endpointOf(webhookId)
      return endpoint.deferrals.add(deliveryId, now(), 2 * turnMs(endpoint))
    },
  }
}
