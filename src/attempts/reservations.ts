import type { SlotHolder } from './slot-pool.ts'

/** A woken workflow normally reaches its gate within this time; after it the reservation lapses. */
const RESERVATION_MS = 2_000

type Reservation = { readonly holder: SlotHolder; readonly lapsesAtMs: number }

/**
 * Remembers for which deliveries a slot is reserved, and until when. All reservations last equally long. So the map,
 * which keeps the order of insertion, is in the order in which they lapse.
 */
export class Reservations {
  readonly #byDelivery = new Map<string, Reservation>()
  /** No reservation lapses before this time, so until then there is nothing to look for. */
  #nextLapseMs = Infinity

  /** Remembers a reservation. The delivery has none: remove a former one first. */
  add(holder: SlotHolder, deliveryId: string, nowMs: number): void {
    const lapsesAtMs = nowMs + RESERVATION_MS
    this.#byDelivery.set(deliveryId, { holder, lapsesAtMs })
    this.#nextLapseMs = Math.min(this.#nextLapseMs, lapsesAtMs)
  }

  /** Removes the delivery's reservation. Gives whether there was one. */
  remove(deliveryId: string): boolean {
    return this.#byDelivery.delete(deliveryId)
  }

  /** Removes the reservations whose time is over, and gives their holders. */
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
