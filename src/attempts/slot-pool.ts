/** Slots of a webhook, a company or the process: taken by attempts, or reserved for attempts that are about to come. */
export type SlotPool = {
  /** Whether the attempt may take a slot: one is free, or was reserved for it. This ends its reservation. */
  admits(deliveryId: string): boolean
  /** Takes a slot for an admitted attempt. Gives the function that returns the slot; a second call does nothing. */
  take(): () => void
  /** Slots that are taken or reserved. */
  used(): number
  /** Slots that are neither taken nor reserved. */
  free(): number
  /** Reserves a slot for a delivery that is about to be attempted; the reservation lapses by itself. */
  reserve(deliveryId: string): void
  /** Ends the delivery's reservation: there will be no attempt. */
  cancelReservation(deliveryId: string): void
  /** Average time between two slots that become free, in milliseconds; undefined until the first one did. */
  intervalMs(): number | undefined
  isIdle(): boolean
}

/** A woken workflow normally reaches its gate within this time; after it the reservation lapses. */
const RESERVATION_MS = 2_000
/** Weight of the latest attempt in the moving average. */
const LATEST_WEIGHT = 0.3

/**
 * Counts slots in process memory. Every step takes the same time, however many are taken and reserved.
 *
 * @param limit slots at this moment; it may change at any time
 * @param onIdle called when no slot is taken or reserved any more
 */
export function createSlotPool({
  limit,
  now,
  onIdle = () => undefined,
}: {
  limit: () => number
  now: () => number
  onIdle?: () => void
}): SlotPool {
  /** When each reservation lapses. All last equally long, so the map is in the order in which they lapse. */
  const reservations = new Map<string, number>()
  let running = 0
  /** How long an attempt uses its slot, as a moving average. */
  let heldMs: number | undefined

  /** Drops lapsed reservations before it counts. */
  function used(): number {
    for (const [deliveryId, untilMs] of reservations) {
      if (untilMs > now()) break
      reservations.delete(deliveryId)
    }
    return running + reservations.size
  }

  const isIdle = () => used() === 0

  function leave(takenAtMs: number): void {
    const latestMs = now() - takenAtMs
    const before = heldMs ?? latestMs
    heldMs = before + LATEST_WEIGHT * (latestMs - before)
    running -= 1
    if (isIdle()) onIdle()
  }

  return {
    admits(deliveryId) {
      const hasRoom = used() < limit()
      const isReserved = reservations.delete(deliveryId)
      return hasRoom || isReserved
    },
    take() {
      const takenAtMs = now()
      let isTaken = true
      running += 1
      return () => {
        if (isTaken) leave(takenAtMs)
        isTaken = false
      }
    },
    used,
    free: () => Math.max(0, limit() - used()),
    reserve(deliveryId) {
      reservations.delete(deliveryId)
      reservations.set(deliveryId, now() + RESERVATION_MS)
    },
    cancelReservation(deliveryId) {
      if (reservations.delete(deliveryId) && isIdle()) onIdle()
    },
    intervalMs: () => (heldMs === undefined ? undefined : Math.max(heldMs, 1) / Math.max(limit(), 1)),
    isIdle,
  }
}
