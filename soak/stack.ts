import { setTimeout as sleep } from 'node:timers/promises'
import { formatDuration } from '../scripts/lib/progress.ts'
import { databaseGreets, waitUntil } from '../scripts/lib/ready.ts'
import type { Service, Supervisor } from '../scripts/lib/supervisor.ts'
import { createKey } from '../scripts/stack/company.ts'
import { startStack, watchStarts } from '../scripts/stack/stack.ts'
import { SoakClient } from './client.ts'
import type { SeededRandom } from './random.ts'
import { pause } from './rate.ts'

/** What the soak kills. */
export const PARTS = ['worker', 'api', 'database', 'temporal'] as const

/** Times are short, so that retries, take-overs and the reconciler have their turn within a short run. */
const SETTINGS = {
  WEBHOOK_RETRY_SCHEDULE: '1s,2s,3s,5s',
  WEBHOOK_TIMEOUT: '4s',
  RECORDING_TIMEOUT: '5s',
  RECONCILE_AFTER: '5s',
  RATE_LIMIT_PER_MINUTE: '0',
  COMPANY_RATE_LIMIT_PER_MINUTE: '0',
}

/** WEBHOOK_TIMEOUT and RECORDING_TIMEOUT together: a kill this long after a request no longer loses its outcome. */
export const ATTEMPT_MS = 9_000

/** The whole service on loopback, whose parts can be killed. */
export type SoakStack = Awaited<ReturnType<typeof startSoakStack>>

/**
 * Starts database, Temporal, api and worker as a production would, on free ports and with their files in `dir`. They end
 * with the supervisor.
 *
 * @param options lane: the value of DELIVERY_FIRST_ATTEMPT
 * @returns the environment of the processes, the certificate of the endpoints, and a client with an admin:all key
 */
export async function startSoakStack(everything: Supervisor, { dir, lane }: { dir: string; lane: string }) {
  const { supervisor, killAndRestart } = killable(everything, async (name) => isReady[name]?.() ?? true)
  const settings = { ...SETTINGS, DELIVERY_FIRST_ATTEMPT: lane }
  const { env, tls, temporal, start } = await startStack(supervisor, { dir, settings })
  const { key } = await createKey(env, 'admin:all')
  const [api, worker] = await Promise.all([start('server'), start('worker')])
  const { hostname, port } = new URL(env['DATABASE_URL'] ?? '')
  const isReady: Readonly<Record<string, () => Promise<boolean>>> = {
    worker: worker.isReady,
    api: api.isReady,
    database: () => databaseGreets(hostname, Number(port)),
    temporal: temporal.answers,
  }
  return { env, tls, client: new SoakClient([api.url], key), killAndRestart }
}

/** Times are epoch milliseconds. `readyAtMs`: the part runs again. */
export type Kill = { readonly part: string; readonly atMs: number; readonly readyAtMs: number }

/** What is started with its `supervisor` can be killed, and started again as before, by name. @param isReady asks by the name */
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
/** Longest pause before a killed part is started again, as a share of the least time between kills. */
const LONGEST_PAUSE = 2 / 3

/**
 * Kills and starts again until the signal. At the end all run and are ready.
 *
 * @param turns what is killed next, without end
 * @param times the least and the most time from one kill to the next
 */
export async function killInTurns(
  killAndRestart: ReturnType<typeof killable>['killAndRestart'],
  turns: Iterable<readonly string[]>,
  random: SeededRandom,
  [leastMs = 0, mostMs = 0]: readonly number[],
  isOver: AbortSignal,
): Promise<Kill[]> {
  const kills: Kill[] = []
  let dueMs = Date.now()
  for (const names of turns) {
    dueMs += random.between(leastMs, mostMs)
    const pauseMs = random.isHit(AT_ONCE) ? 0 : random.between(0, LONGEST_PAUSE * leastMs)
    if (await pause(dueMs - Date.now(), isOver)) break
    kills.push(await killAndRestart(names, pauseMs))
  }
  return kills
}
