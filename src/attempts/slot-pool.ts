/** SlotPool for attempts of one holder, a webhook, a company or the process: taken, or kept for attempts on their way. */
export type SlotPool = {
  /** Whether an attempt may come in: there is room, or a slot was kept for it. What was kept for it is used up. */
  admits(deliveryId: string): boolean
  /** Takes a slot for whoever was admitted. Gives the function that returns it, once. */
  take(): () => void
  /** SlotPool taken and kept. */
  used(): number
  /** SlotPool that are neither taken nor kept. */
  free(): number
  /** Keeps a slot for a delivery that is about to be attempted; it lapses by itself. */
  reserve(deliveryId: string): void
  /** Gives back what was kept for the delivery: there will be no attempt. */
  cancelReservation(deliveryId: string): void
  /** Time between two slots that get free, in milliseconds; undefined until one was. */
  intervalMs(): number | undefined
  isIdle(): boolean
}

/** A woken workflow normally reaches its gate within this time; afterwards its reservation is somebody else's. */
const RESERVATION_MS = 2_000
/** Weight of the latest attempt in the moving average. */
const LATEST_WEIGHT = 0.3

/**
 * SlotPool in process memory. Every step takes the same time however many are taken and kept.
 *
 * @param limit slots at this moment; it may move at any time
 * @param onIdle called when nothing is left to remember
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
  /** How long an attempt holds its slot, as a moving average. */
  let heldMs: number | undefined

  /** Counted after reservations that lapsed were dropped. */
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
