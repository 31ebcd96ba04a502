import { setTimeout as delay } from 'node:timers/promises'
import { retryStopped } from '../connection/stopped.ts'

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
