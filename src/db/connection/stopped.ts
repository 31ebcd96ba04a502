import { setTimeout as delay } from 'node:timers/promises'
import { isStopped } from './errors.ts'

/** In milliseconds. The first pause is enough after a KILL QUERY, the second one for a server that is too busy. */
const PAUSES_MS = [250, 2_000]

/**
 * Runs periodic work again if the server stopped one of its statements: once after 0.25 s, and once more after 2 s. So
 * it must be safe to run the work three times. There are no more tries, because a server that kills statements is busy,
 * and the next round comes in a minute.
 */
export async function retryStopped<T>(work: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work()
    } catch (error) {
      if (!isStopped(error)) throw error
      await delay(pauseMs)
    }
  }
  return work()
}

/**
 * Removes a batch of rows, then rests for as long as the removal took. So removals take at most half of the database's time.
 *
 * @param work must be safe to run three times; see retryStopped
 */
export async function withBreath<T>(work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  const result = await retryStopped(work)
  await delay(performance.now() - startedMs)
  return result
}
