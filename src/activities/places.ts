import { createDeferrals } from './deferrals.js'

/** Places for attempts of one holder, a webhook or a company: taken, kept for attempts on their way, waited for. */
export type Places = {
  /** Whether an attempt may come in: there is room, or a place was kept for it. What was kept for it is used up. */
  admits(deliveryId: string): boolean
  /** Takes a place for whoever was admitted. Gives the function that returns it, once. */
  take(): () => void
  /** Places taken and kept. */
  used(): number
  isFull(): boolean
  /** Places that are neither used nor kept for a deferred attempt that is due. */
  free(): number
  /** Keeps a place for a delivery that is about to be started; it lapses by itself. */
  reserve(deliveryId: string): void
  /** Gives an attempt that was not admitted its turn to come back, in milliseconds, and keeps a place for it then. */
  deferralMs(deliveryId: string): number
  /** Time between two places that get free, in milliseconds; undefined until one was. */
  turnMs(): number | undefined
  isIdle(): boolean
}

/** A started workflow normally reaches its gate within this time; afterwards its reservation is somebody else's. */
const RESERVATION_MS = 2_000
/** How long a place is assumed to be held when nothing is known. */
const UNKNOWN_HELD_MS = 1_000
/** Weight of the latest attempt in the moving average. */
const LATEST_WEIGHT = 0.3

/**
 * Deferred attempts come back at half the rate at which places get free and find one kept for them; the other half is
 * for the relay. So ten thousand retries of a hung endpoint are a queue and not a storm.
 *
 * @param limit places at this moment; it may move at any time
 * @param onIdle called when nothing is left to remember
 */
export function createPlaces({
  limit,
  now,
  onIdle = () => undefined,
}: {
  limit: () => number
  now: () => number
  onIdle?: () => void
}): Places {
  const reservations = new Map<string, number>()
  const deferrals = createDeferrals()
  let running = 0
  /** How long an attempt holds its place, as a moving average. */
  let heldMs: number | undefined

  const turnOf = (averageMs: number) => Math.max(averageMs, 1) / Math.max(limit(), 1)
  const expectedTurnMs = () => turnOf(heldMs ?? UNKNOWN_HELD_MS)

  /** Counted after reservations that lapsed were dropped. */
  function used(): number {
    for (const [deliveryId, untilMs] of reservations) {
      if (untilMs <= now()) reservations.delete(deliveryId)
    }
    return running + reservations.size
  }

  const isFull = () => used() >= limit()
  const isIdle = () => used() === 0 && deferrals.isEmpty(now())

  function leave(takenAtMs: number): void {
    const latestMs = now() - takenAtMs
    const before = heldMs ?? latestMs
    heldMs = before + LATEST_WEIGHT * (latestMs - before)
    running -= 1
    if (isIdle()) onIdle()
  }

  return {
    admits(deliveryId) {
      const hasRoom = !isFull()
      const isReserved = reservations.delete(deliveryId)
      deferrals.remove(deliveryId)
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
    isFull,
    free() {
      const kept = deferrals.countDue(now(), Math.min(expectedTurnMs(), RESERVATION_MS))
      return Math.max(0, limit() - used() - kept)
    },
    reserve: (deliveryId) => void reservations.set(deliveryId, now() + RESERVATION_MS),
    deferralMs: (deliveryId) => deferrals.add(deliveryId, now(), 2 * expectedTurnMs()),
    turnMs: () => (heldMs === undefined ? undefined : turnOf(heldMs)),
    isIdle,
  }
}
