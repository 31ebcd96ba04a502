import { setTimeout as sleep } from 'node:timers/promises'
import { formatDuration } from '../scripts/lib/progress.ts'
import { waitUntil } from '../scripts/lib/ready.ts'
import type { Service, Supervisor } from '../scripts/lib/supervisor.ts'
import { watchStarts } from '../scripts/stack/stack.ts'
import type { SeededRandom } from './random.ts'
import { pause } from './rate.ts'

/** Times are epoch milliseconds. `readyAtMs`: the part runs again. */
export type Kill = { readonly part: string; readonly atMs: number; readonly readyAtMs: number }

/**
 * What is started with its `supervisor` can be killed, and started again as before, by name.
 *
 * @param isReady whether what has this name is ready
 */
export function killable(everything: Supervisor, isReady: (name: string) => Promise<boolean>) {
  const started = new Map<string, { service: Service; pid: number }>()
  const supervisor = watchStarts(everything, (service, pid) => started.set(service.name, { service, pid }))
  const pidOf = (name: string): number => started.get(name)!.pid
  /** Kills these with SIGKILL, starts them again after a pause, and prints it. Resolves once they are ready. */
  async function killAndRestart(names: readonly string[], pauseMs: number): Promise<Kill> {
    const [part, atMs] = [names.join(' and '), Date.now()]
    for (const name of names) await everything.kill(pidOf(name))
    await sleep(pauseMs)
    for (const name of names) supervisor.start(started.get(name)!.service)
    for (const name of names) await waitUntil(`The ${name}, started again after a kill,`, () => isReady(name))
    const readyAtMs = Date.now()
    const again = pauseMs === 0 ? 'at once' : `after ${formatDuration(pauseMs)}`
    const ready = `ready ${formatDuration(readyAtMs - atMs)} after the kill`
    console.log(`${new Date(atMs).toISOString().slice(11, 23)} killed ${part}, started ${again}, ${ready}`)
    return { part, atMs, readyAtMs }
  }
  return { supervisor, pidOf, killAndRestart }
}

/** Share of the kills after which the part is started again at once. */
const AT_ONCE = 0.5

/**
 * Kills and starts again until the signal. At the end all run and are ready.
 *
 * @param turns what is killed next, without end
 * @param options everyMs: least and most time from one kill to the next
 */
export async function killInTurns(
  killAndRestart: ReturnType<typeof killable>['killAndRestart'],
  turns: Iterable<readonly string[]>,
  random: SeededRandom,
  {
    everyMs,
    longestPauseMs,
    isOver,
  }: { everyMs: readonly [number, number]; longestPauseMs: number; isOver: AbortSignal },
): Promise<Kill[]> {
  const kills: Kill[] = []
  let dueMs = Date.now()
  for (const names of turns) {
    dueMs += random.between(...everyMs)
    const pauseMs = random.isHit(AT_ONCE) ? 0 : random.between(0, longestPauseMs)
    if (await pause(dueMs - Date.now(), isOver)) break
    kills.push(await killAndRestart(names, pauseMs))
  }
  return kills
}
