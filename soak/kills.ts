import { setTimeout as sleep } from 'node:timers/promises'
import { formatDuration } from '../scripts/lib/progress.ts'
import type { SoakOptions } from './options.ts'
import type { SeededRandom } from './random.ts'
import { ATTEMPT_MS, PARTS, type Part, type SoakStack } from './stack.ts'

/** Times are epoch milliseconds. */
export type Kill = {
  readonly part: Part
  readonly atMs: number
  /** Before the part was started again. */
  readonly pauseMs: number
  readonly readyAtMs: number
}

type DrawnKill = Pick<Kill, 'part' | 'pauseMs'> & { readonly afterMs: number }

/** Share of the kills after which the part is started again at once. */
const AT_ONCE = 0.5

/**
 * Draws one kill after the other, without end: the time since the one before, the part, and the pause before it is started
 * again. The parts come in shuffled rounds, so that every part is killed about as often.
 */
export function* drawKills(
  random: SeededRandom,
  { kills: { leastMs, mostMs, longestPauseMs } }: SoakOptions,
): Generator<DrawnKill> {
  for (;;) {
    for (const part of random.shuffled(PARTS)) {
      const afterMs = Math.round(random.between(leastMs, mostMs))
      const pauseMs = random.isHit(AT_ONCE) ? 0 : Math.round(random.between(0, longestPauseMs))
      yield { afterMs, part, pauseMs }
    }
  }
}

/**
 * Kills parts and starts them again until the time is over, and prints each kill. At the end all run and are ready.
 *
 * @param untilMs epoch
 */
export async function killParts(stack: SoakStack, drawn: Iterable<DrawnKill>, untilMs: number) {
  const kills: Kill[] = []
  let dueMs = Date.now()
  for (const { afterMs, part, pauseMs } of drawn) {
    dueMs += afterMs
    if (dueMs >= untilMs) break
    await sleep(Math.max(0, dueMs - Date.now()))
    const atMs = Date.now()
    await stack.kill(part)
    await sleep(pauseMs)
    await stack.restart(part)
    const kill = { part, atMs, pauseMs, readyAtMs: Date.now() }
    kills.push(kill)
    console.log(describeKill(kill))
  }
  return kills
}

const describeKill = ({ part, atMs, pauseMs, readyAtMs }: Kill): string =>
  `${clock(atMs)} killed ${part}, started ${pauseMs === 0 ? 'at once' : `after ${formatDuration(pauseMs)}`}, ready ${formatDuration(readyAtMs - atMs)} after the kill`

/** Such as 14:03:07.250. @param ms epoch */
const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 23)

/** Requests that were sent before a kill may be read so long after it. */
const READ_LATE_MS = 1_000
/** The worker may find the database away for so long after it is ready again. */
const RECONNECT_MS = 2_000

/**
 * Gives the kill because of which the outcome of a request may not have been recorded. Only a worker or a database that
 * dies can lose one.
 *
 * @param atMs when the request came, epoch
 */
export const killThatLost = (kills: readonly Kill[], atMs: number): Kill | undefined =>
  kills.find((kill) => {
    if (atMs < kill.atMs - ATTEMPT_MS) return false
    if (kill.part === 'worker') return atMs <= kill.atMs + READ_LATE_MS
    return kill.part === 'database' && atMs <= kill.readyAtMs + RECONNECT_MS
  })
