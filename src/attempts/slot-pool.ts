/** Weight of the latest attempt in the moving average. */
const LATEST_WEIGHT = 0.3
/**
 * The relay reads the outbox only at intervals. It may make up for the starts that it missed within this time, but not
 * for older ones.
 */
const CATCH_UP_MS = 100
/** Starts may come this many times as fast as slots become free. At 2, starts are spread out but do not limit the throughput. */
const START_RATE = 2
/** A reservation lapses after this time. A woken workflow normally reaches its gate sooner. */
const RESERVATION_MS = 2_000

/** The webhook that uses a slot, and the webhook's company. */
export type SlotHolder = { readonly companyId: string; readonly webhookId: string }

/**
 * Counts the slots of a webhook, a company or the process. A slot is taken by an attempt, or reserved for an attempt
 * that is about to come.
 */
export class SlotPool {
  protected readonly limit: () => number
  /** Slots that attempts use now. */
  taken = 0
  /** Slots reserved for attempts that are about to come. Reservations may exceed the limit. */
  reserved = 0

  /** @param limit returns the number of slots at this moment, which may change at any time */
  constructor(limit: () => number) {
    this.limit = limit
  }

  /** Slots that are taken or reserved. */
  get used(): number {
    return this.taken + this.reserved
  }

  /** Slots that are neither taken nor reserved. */
  get free(): number {
    return Math.max(0, this.limit() - this.used)
  }

  /** Whether a slot is free, with `extra` slots in addition to the limit. */
  hasRoom(extra = 0): boolean {
    return this.used < this.limit() + extra
  }
}

/**
 * The slots of an endpoint. If attempts use their slots for long, it spreads the starts over that time. Without this
 * spread, ten hung attempts would begin and end together, and whoever needs a slot would wait until all ten have ended.
 */
export class PacedPool extends SlotPool {
  /** How long an attempt uses its slot, as a moving average. */
  #usedMs: number | undefined
  /** The relay may not start the next delivery before this time. */
  #nextStartMs = -Infinity

  /** Adds the time for which an attempt used its slot to the average. */
  learn(usedMs: number): void {
    const before = this.#usedMs ?? usedMs
    this.#usedMs = before + LATEST_WEIGHT * (usedMs - before)
  }

  /** Call it when the relay starts a delivery. */
  started(nowMs: number): void {
    const paceMs = (this.#intervalMs() ?? 0) / START_RATE
    this.#nextStartMs = Math.max(this.#nextStartMs, nowMs - CATCH_UP_MS) + paceMs
  }

  /** How many starts the pace allows now: Infinity until an attempt has ended. */
  startsAllowed(nowMs: number): number {
    const intervalMs = this.#intervalMs()
    if (intervalMs === undefined) return Infinity
    const lateMs = Math.min(nowMs - this.#nextStartMs, CATCH_UP_MS)
    return lateMs < 0 ? 0 : 1 + Math.floor((lateMs * START_RATE) / intervalMs)
  }

  /** Average time between two slots that become free, in milliseconds; undefined until an attempt has ended. */
  #intervalMs(): number | undefined {
    if (this.#usedMs === undefined) return undefined
    return Math.max(this.#usedMs, 1) / Math.max(this.limit(), 1)
  }
}

type Reservation = { readonly holder: SlotHolder; readonly lapsesAtMs: number }

/**
 * Remembers for which deliveries a slot is reserved, and until when. The map keeps the order of insertion. All
 * reservations last equally long, so they also lapse in this order.
 */
export class Reservations {
  readonly #byDelivery = new Map<string, Reservation>()
  /** No reservation lapses before this time, so `removeLapsed` has nothing to do until then. */
  #nextLapseMs = Infinity

  /** Remembers a reservation. Remove the delivery's earlier reservation first, because the map would keep its old position. */
  add(holder: SlotHolder, deliveryId: string, nowMs: number): void {
    const lapsesAtMs = nowMs + RESERVATION_MS
    this.#byDelivery.set(deliveryId, { holder, lapsesAtMs })
    this.#nextLapseMs = Math.min(this.#nextLapseMs, lapsesAtMs)
  }

  /** Removes the delivery's reservation. Returns whether there was one. */
  remove(deliveryId: string): boolean {
    return this.#byDelivery.delete(deliveryId)
  }

  /** Removes the reservations whose time is over, and returns their holders. */
  removeLapsed(nowMs: number): SlotHolder[] {
    if (nowMs < this.#nextLapseMs) return []
    this.#nextLapseMs = Infinity
    const holders: SlotHolder[] = []
    for (const [deliveryId, { holder, lapsesAtMs }] of this.#byDelivery) {
      if (lapsesAtMs > nowMs) {
        this.#nextLapseMs = lapsesAtMs
        break
      }
      this.#byDelivery.delete(deliveryId)
      holders.push(holder)
    }
    return holders
  }
}
