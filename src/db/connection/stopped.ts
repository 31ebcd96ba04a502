import { setTimeout as delay } from 'node:timers/promises'
import { isStopped } from './errors.ts'

/** The first is for a KILL QUERY, the second for a server that was too busy. */
const PAUSES_MS = [250, 2_000]

/**
 * Runs periodic work again when the server stopped one of its statements, after 0.25 s and once more after 2 s. So the
 * work must bear to run twice. It is not tried more often: a server that kills statements is busy, and the next round
 * comes in a minute.
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
 * Removes a batch of rows, then rests for as long as that took. So the removal takes at most half of what the database can do.
 *
 * @param work must bear to run twice; see retryStopped
 */
export async function withBreath<T>(work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  const result = await retryStopped(work)
  await delay(performance.now() - startedMs)
  return result
}
