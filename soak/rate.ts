import { setTimeout as sleep } from 'node:timers/promises'

const TICK_MS = 5

/** Waits until the time is over or the signal comes. @returns whether the signal has come */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(Math.max(0, ms), undefined, { signal }).catch(() => undefined)
  return signal.aborted
}

type Rate = {
  readonly perSecond: number
  /** Works that may be open at once. Works that fall due beyond them begin when there is room again. */
  readonly mostOpen: number
  readonly isOver: AbortSignal
}

/**
 * Begins works at a steady rate until the signal. Then it waits until all have ended.
 *
 * @param begin gets the number of the work, the first is 0
 * @returns leftOut: works that were due and not begun, because too many were open
 * @throws the first error of a work; after it no more are begun
 */
export async function keepRate(begin: (n: number) => Promise<void>, { perSecond, mostOpen, isOver }: Rate) {
  const open = new Set<Promise<void>>()
  const faults: unknown[] = []
  const startedMs = performance.now()
  let begun = 0
  let due: number
  do {
    due = ((performance.now() - startedMs) / 1000) * perSecond
    for (; begun < due && open.size < mostOpen; begun++) {
      const work = begin(begun)
        .catch((error: unknown) => void faults.push(error))
        .finally(() => open.delete(work))
      open.add(work)
    }
  } while (!(await pause(TICK_MS, isOver)) && faults.length === 0)
  await Promise.all(open)
  if (faults.length > 0) throw faults[0]
  const seconds = (performance.now() - startedMs) / 1000
  return { begun, leftOut: Math.max(0, Math.floor(due) - begun), seconds }
}
