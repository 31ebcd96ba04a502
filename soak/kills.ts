import { setTimeout as sleep } from 'node:timers/promises'
import { formatDuration } from '../scripts/lib/progress.ts'
import type { SoakOptions } from './options.ts'
import type { SeededRandom } from './random.ts'
import { pause } from './rate.ts'
import { ATTEMPT_MS, PARTS, type Part, type SoakStack } from './stack.ts'

/** Times are epoch milliseconds. `readyAtMs`: the part runs again. */
export type Kill = { readonly part: Part; readonly atMs: number; readonly readyAtMs: number }

/** Share of the kills after which the part is started again at once. */
const AT_ONCE = 0.5

/** Yields parts without end, in shuffled rounds, so that every part comes about as often. */
function* drawParts(random: SeededRandom): Generator<Part> {
  for (;;) yield* random.shuffled(PARTS)
}

/** Kills parts and starts them again until the time is over, and prints each kill. At the end all run and are ready. */
export async function killParts(
  stack: SoakStack,
  random: SeededRandom,
  { trafficMs, kills: { leastMs, mostMs, longestPauseMs } }: SoakOptions,
): Promise<Kill[]> {
  const kills: Kill[] = []
  const isOver = AbortSignal.timeout(trafficMs)
  let dueMs = Date.now()
  for (const part of drawParts(random)) {
    dueMs += random.between(leastMs, mostMs)
    const pauseMs = random.isHit(AT_ONCE) ? 0 : random.between(0, longestPauseMs)
    if (await pause(dueMs - Date.now(), isOver)) break
    const atMs = Date.now()
    await stack.kill(part)
    await sleep(pauseMs)
    await stack.restart(part)
    const readyAtMs = Date.now()
    kills.push({ part, atMs, readyAtMs })
    const started = pauseMs === 0 ? 'at once' : `after ${formatDuration(pauseMs)}`
    const ready = `ready ${formatDuration(readyAtMs - atMs)} after the kill`
    console.log(`${new Date(atMs).toISOString().slice(11, 23)} killed ${part}, started ${started}, ${ready}`)
  }
  return kills
}

/** How long after a kill an endpoint may read a request that was sent before it. */
const READ_LATE_MS = 1_000
/** How long the worker may still fail to reach the database after that is ready again. */
const RECONNECT_MS = 2_000

/**
 * Returns the kill that may have lost the outcome of a request before it was recorded. Only the kill of a worker or of the database
 * can lose one.
 *
 * @param atMs when the request came, epoch
 */
export const killThatLost = (kills: readonly Kill[], atMs: number): Kill | undefined =>
  kills.find((kill) => {
    if (atMs < kill.atMs - ATTEMPT_MS) return false
    if (kill.part === 'worker') return atMs <= kill.atMs + READ_LATE_MS
    return kill.part === 'database' && atMs <= kill.readyAtMs + RECONNECT_MS
  })
