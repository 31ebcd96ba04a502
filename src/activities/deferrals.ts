/** Deferred attempts of one endpoint: when each is to come back. */
export type Deferrals = {
  /**
   * Gives a delivery the next place in the queue.
   *
   * @param spacingMs between two places
   * @returns how long it should stay away, in milliseconds
   */
  add(deliveryId: string, nowMs: number, spacingMs: number): number
  /** The attempt is back. */
  remove(deliveryId: string): void
  /** Attempts that are back any moment: due now, or within `soonMs`. Those that never came are forgotten. */
  countDue(nowMs: number, soonMs: number): number
  isEmpty(nowMs: number): boolean
}

/** Each return costs a workflow task, so even a fast endpoint is left alone this long. */
const SHORTEST_DEFERRAL_MS = 100
const LONGEST_DEFERRAL_MS = 60_000
/** A deferred attempt that is not back this long after its time is back at another worker, or was cancelled. */
const LATE_MS = 2_000

/** A queue in process memory; its places are in order of time. */
export function createDeferrals(): Deferrals {
  const dueAtMs = new Map<string, number>()
  let lastMs = 0

  function dropLate(nowMs: number): void {
    for (const [deliveryId, dueMs] of dueAtMs) {
      if (dueMs > nowMs - LATE_MS) return
      dueAtMs.delete(deliveryId)
    }
  }

  return {
    add(deliveryId, nowMs, spacingMs) {
      const nextMs = Math.max(Math.max(lastMs, nowMs) + spacingMs, nowMs + SHORTEST_DEFERRAL_MS)
      lastMs = Math.min(nextMs, nowMs + LONGEST_DEFERRAL_MS)
      dueAtMs.delete(deliveryId)
      dueAtMs.set(deliveryId, lastMs)
      return Math.ceil(lastMs - nowMs)
    },
    remove: (deliveryId) => void dueAtMs.delete(deliveryId),
    countDue(nowMs, soonMs) {
      dropLate(nowMs)
      let count = 0
      for (const dueMs of dueAtMs.values()) {
        if (dueMs > nowMs + soonMs) break
        count += 1
      }
      return count
    },
    isEmpty(nowMs) {
      dropLate(nowMs)
      return dueAtMs.size === 0
    },
  }
}
