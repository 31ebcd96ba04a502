import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitUntil } from '../scripts/lib/ready.ts'
import { ROOT } from '../scripts/lib/paths.mjs'
import type { Supervisor } from '../scripts/lib/supervisor.ts'
import { createKey } from '../scripts/stack/company.ts'
import { startService } from '../scripts/stack/services.ts'
import { startDatabase } from '../scripts/stack/stack.ts'
import { RotatingClient } from './client.ts'
import type { SeededRandom } from './random.ts'
import { killable } from './stack.ts'

const KILL_EVERY_MS = 10_000

type Turns = {
  readonly random: SeededRandom
  readonly longestPauseMs: number
  readonly isOver: AbortSignal
}

/**
 * Starts a database and apis with these names, with their files in `dir`. They end with the supervisor.
 *
 * @returns the apis' urls, a key of a company, and functions that start, kill and restart apis and programs by name
 */
export async function startApis(everything: Supervisor, dir: string, names: readonly string[]) {
  const { supervisor, pidOf, kill, restart } = killable(everything)
  const env = await startDatabase(supervisor, dir)
  const { companyId, key } = await createKey(env, 'admin:all')
  const apis = await Promise.all(
    names.map((name) => startService(supervisor, { kind: 'server', env, logDir: dir, name })),
  )
  const urls = apis.map(({ url }) => url)
  const fileOf = (name: string) => path.join(dir, `${name}.lines`)
  /** Kills these processes with SIGKILL, and starts them again after a pause. */
  async function killAndRestart(killed: readonly string[], pauseMs: number): Promise<void> {
    for (const name of killed) await kill(name)
    await sleep(pauseMs)
    for (const name of killed) restart(name)
    console.log(`killed ${killed.join(' and ')}`)
  }
  return {
    databaseUrl: env['DATABASE_URL'] ?? '',
    companyId,
    key,
    urls,
    pidOf,
    /** The file that a program writes. */
    fileOf,
    /** Starts a program of soak/, which reads its settings with readSettings. */
    startProgram(name: string, program: string, onLine?: (line: string) => void): void {
      supervisor.start({
        name,
        command: process.execPath,
        args: [path.join(ROOT, 'soak', program)],
        env: {
          PATH: process.env['PATH'],
          FEED_URLS: urls.join(),
          FEED_KEY: key,
          FEED_NAME: name,
          FEED_FILE: fileOf(name),
        },
        logFile: path.join(dir, `${name}.log`),
        ...(onLine && { onLine }),
      })
    },
    killAndRestart,
    /**
     * Every 10 s kills the next process of each list, and starts it again after a pause. Ends at the signal `isOver`.
     *
     * @returns how many turns there were
     */
    async killInTurns(lists: readonly (readonly string[])[], { random, longestPauseMs, isOver }: Turns) {
      for (let turn = 0; ; turn++) {
        await sleep(KILL_EVERY_MS, undefined, { signal: isOver }).catch(() => undefined)
        if (isOver.aborted) return turn
        const killed = lists.map((names) => names[turn % names.length]!)
        await killAndRestart(killed, random.between(0, longestPauseMs))
      }
    },
    /** Resolves once all apis answer. */
    untilReady: () => Promise.all(apis.map((api) => waitUntil('An api that was killed', api.isReady))),
  }
}

/** Reads the settings of a program from its environment. */
export function readSettings() {
  const { FEED_URLS = '', FEED_KEY = '', FEED_NAME = '', FEED_FILE = '' } = process.env
  const turn = Number(FEED_NAME.replaceAll(/\D/g, ''))
  return { client: new RotatingClient(FEED_URLS.split(','), FEED_KEY, turn), file: FEED_FILE }
}
