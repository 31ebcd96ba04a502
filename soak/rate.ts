import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until the time is over or the signal comes. @returns whether the signal has come */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(Math.max(0, ms), undefined, { signal }).catch(() => undefined)
  return signal.aborted
}

/**
 * Begins works at a steady rate until the signal. Then it waits until all have ended.
 *
 * @param begin gets the number of the work, the first is 0
 * @param mostOpen works that may be open at once. Works that fall due beyond them begin when there is room again
 * @returns leftOut: works that were due and not begun, because too many were open
 * @throws the first error of a work
 */
export async function keepRate(
  begin: (n: number) => Promise<void>,
  perSecond: number,
  mostOpen: number,
  isOver: AbortSignal,
) {
  const startedMs = performance.now()
  const seconds = () => (performance.now() - startedMs) / 1000
  let [next, begun, due] = [0, 0, 0]
  isOver.addEventListener('abort', () => (due = Math.floor(seconds() * perSecond)))
  async function workInTurn(): Promise<void> {
    for (let n = next++; !(await pause((n / perSecond - seconds()) * 1000, isOver)); n = next++) {
      begun += 1
      await begin(n)
    }
  }
  await Promise.all(Array.from({ length: mostOpen }, workInTurn))
  return { begun, leftOut: Math.max(0, due - begun), seconds: seconds() }
}
