import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../deps/log.ts'

/** Added to the grace period, for work that ends in its last moment. */
const SETTLE_MS = 1_000

/** Waits for the work under way, for the grace period at most. Work that lasts longer is cut short by the end of the process. */
export async function endWithin(graceMs: number, log: Log, ended: Promise<void>): Promise<'done' | 'cut'> {
  const ending = await atMost(graceMs + SETTLE_MS, ended)
  if (ending === 'cut') log.warn('SHUTDOWN_GRACE is over: attempts under way are cut and will be made again')
  return ending
}

/** Waits for the work, for this time at most. @returns cut: it is still under way */
export async function atMost(limitMs: number, work: Promise<void>): Promise<'done' | 'cut'> {
  const timer = new AbortController()
  const limit = delay(limitMs, 'cut' as const, { signal: timer.signal })
  return Promise.race([work.then(() => 'done' as const), limit]).finally(() => timer.abort())
}
