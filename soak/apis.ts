import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitUntil } from '../scripts/lib/ready.ts'
import { ROOT } from '../scripts/lib/paths.mjs'
import type { Supervisor } from '../scripts/lib/supervisor.ts'
import { createKey } from '../scripts/stack/company.ts'
import { startService } from '../scripts/stack/services.ts'
import { startDatabase } from '../scripts/stack/stack.ts'
import { SoakClient } from './client.ts'
import type { SeededRandom } from './random.ts'
import { pause } from './rate.ts'
import { killable } from './stack.ts'

const KILL_EVERY_MS = 10_000
const LONGEST_PAUSE_MS = 3_000

/** The settings of a program that startProgram starts. */
type Settings = { urls: string[]; key: string; turn: number; file: string }

/** The client and the file of a program that startProgram has started. */
export function readSettings() {
  const { urls, key, turn, file } = JSON.parse(process.env['SOAK_SETTINGS'] ?? '') as Settings
  return { client: new SoakClient(urls, key, turn), file }
}

/**
 * Starts a database and apis with these names, with their files in `dir`. They end with the supervisor.
 *
 * @returns clients of the apis, and functions that start, kill and restart apis and programs by name
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
  async function killAndRestart(killed: readonly string[], random: SeededRandom): Promise<void> {
    for (const name of killed) await kill(name)
    await sleep(random.between(0, LONGEST_PAUSE_MS))
    for (const name of killed) restart(name)
    console.log(`killed ${killed.join(' and ')}`)
  }
  return {
    databaseUrl: env['DATABASE_URL'] ?? '',
    companyId,
    /** A client that asks the api of this turn first. */
    clientOf: (turn: number) => new SoakClient(urls, key, turn),
    pidOf,
    /** The file that a program writes. */
    fileOf,
    /** Starts a program of soak/, which reads its settings with readSettings. The number in its name is its turn. */
    startProgram(name: string, program: string, onLine?: (line: string) => void): void {
      const settings: Settings = { urls, key, turn: Number(name.replaceAll(/\D/g, '')), file: fileOf(name) }
      supervisor.start({
        name,
        command: process.execPath,
        args: [path.join(ROOT, 'soak', program)],
        env: { PATH: process.env['PATH'], SOAK_SETTINGS: JSON.stringify(settings) },
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
    async killInTurns(lists: readonly (readonly string[])[], random: SeededRandom, isOver: AbortSignal) {
      for (let turn = 0; ; turn++) {
        if (await pause(KILL_EVERY_MS, isOver)) return turn
        const killed = lists.map((list) => list[turn % list.length]!)
        await killAndRestart(killed, random)
      }
    },
    /** Resolves once all apis answer. */
    untilReady: () => Promise.all(apis.map((api) => waitUntil('An api that was killed', api.isReady))),
  }
}
