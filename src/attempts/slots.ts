import { createSlotPool, type SlotPool } from './slot-pool.js'

/** The webhook that a slot is for, and its company. */
export type SlotHolder = { readonly companyId: string; readonly webhookId: string }

/** Attempts that may be on the wire at once, counted in this process. */
export type Slots = {
  /** Takes a slot, using the delivery's reservation if it has one. Undefined when none is free. */
  take(holder: SlotHolder, deliveryId: string): (() => void) | undefined
  /** Slots that the relay may fill now for the webhook; `freeOfCompany` and `freeOfAll` apply as well. */
  free(holder: SlotHolder): number
  /** Slots that the relay may fill now for all webhooks of the company together. */
  freeOfCompany(companyId: string): number
  /** Slots that the relay may fill now for all companies together. */
  freeOfAll(): number
  /** Reserves a slot for a delivery that the relay is about to wake; the reservation lapses by itself. */
  reserve(holder: SlotHolder, deliveryId: string): void
  /** Ends the delivery's reservation: nothing is to be sent now. */
  cancelReservation(holder: SlotHolder, deliveryId: string): void
}

type Endpoint = {
  readonly pool: SlotPool
  /** The relay may not start the next delivery before this time. */
  nextStartMs: number
}

/** The relay reads the outbox only every so often, so it may make up for starts that it missed within this time. */
const CATCH_UP_MS = 100
/** Starts may come at this multiple of the rate at which slots become free: spread out, but never the bottleneck. */
const START_RATE = 2

/**
 * Counts slots in process memory. A company may use no more slots than are free in the process, and a webhook no more
 * than are free to its company. So a company whose endpoints all hang fills at most half of the process, and there is
 * always room for the next one. This is the dynamic threshold of shared packet buffers (Choudhury and Hahne, IEEE/ACM
 * Transactions on Networking 6(2), 1998), with a factor of one. Reservations may exceed the capacity by a few. Attempts
 * never do, because each is an open socket.
 *
 * The starts of a slow endpoint are spread over the time for which its attempts take slots. Otherwise ten hung attempts
 * would begin and end together, and everybody else would wait for them.
 *
 * @param limit slots per webhook in this process now: WEBHOOK_CONCURRENCY divided by the live workers
 * @param capacity slots of this process in all
 */
export function createSlots({
  limit,
  capacity,
  now,
}: {
  limit: () => number
  capacity: number
  now: () => number
}): Slots {
  const whole = createSlotPool({ limit: () => capacity, now })
  const companies = new Map<string, SlotPool>()
  const endpoints = new Map<string, Endpoint>()
  /** Attempts on the wire. */
  let taken = 0

  const usedBy = (companyId: string) => companies.get(companyId)?.used() ?? 0
  const companyLimit = () => Math.max(0, capacity - whole.used())
  const webhookLimit = (companyId: string) =>
    Math.max(1, Math.min(limit(), companyLimit() - usedBy(companyId)))

  function companyOf(companyId: string): SlotPool {
    return ensure(companies, companyId, () =>
      createSlotPool({ limit: companyLimit, now, onIdle: () => companies.delete(companyId) }),
    )
  }

  function endpointOf({ companyId, webhookId }: SlotHolder): Endpoint {
    return ensure(endpoints, webhookId, () => ({
      pool: createSlotPool({
        limit: () => webhookLimit(companyId),
        now,
        onIdle: () => endpoints.delete(webhookId),
      }),
      nextStartMs: 0,
    }))
  }

  const levelsOf = (holder: SlotHolder) => [endpointOf(holder).pool, companyOf(holder.companyId), whole]

  /** Starts that the pace of the endpoint allows now; any number until one of its attempts has ended. */
  function startsAllowed({ pool, nextStartMs }: Endpoint): number {
    const intervalMs = pool.intervalMs()
    if (intervalMs === undefined) return Infinity
    const lateMs = Math.min(now() - nextStartMs, CATCH_UP_MS)
    return lateMs < 0 ? 0 : 1 + Math.floor((lateMs * START_RATE) / intervalMs)
  }

  return {
    take(holder, deliveryId) {
      const levels = levelsOf(holder)
      const admissions = levels.map((pool) => pool.admits(deliveryId))
      if (taken >= capacity || admissions.includes(false)) return undefined
      const returns = levels.map((pool) => pool.take())
      taken += 1
      let isTaken = true
      return () => {
        if (isTaken) taken -= 1
        isTaken = false
        for (const giveBack of returns) giveBack()
      }
    },
    free({ companyId, webhookId }) {
      const endpoint = endpoints.get(webhookId)
      if (!endpoint) return webhookLimit(companyId)
      const free = Math.min(endpoint.pool.free(), startsAllowed(endpoint))
      if (endpoint.pool.isIdle()) endpoints.delete(webhookId)
      return free
    },
    freeOfCompany(companyId) {
      const pool = companies.get(companyId)
      if (!pool) return companyLimit()
      if (pool.isIdle()) companies.delete(companyId)
      return pool.free()
    },
    freeOfAll: () => whole.free(),
    reserve(holder, deliveryId) {
      for (const pool of levelsOf(holder)) pool.reserve(deliveryId)
      const endpoint = endpointOf(holder)
      const paceMs = (endpoint.pool.intervalMs() ?? 0) / START_RATE
      endpoint.nextStartMs = Math.max(endpoint.nextStartMs, now() - CATCH_UP_MS) + paceMs
    },
    cancelReservation(holder, deliveryId) {
      for (const pool of levelsOf(holder)) pool.cancelReservation(deliveryId)
    },
  }
}

function ensure<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key)
  if (known) return known
  const fresh = make()
  map.set(key, fresh)
  return fresh
}
