import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { waitUntil } from '../../scripts/lib/ready.ts'
import type { Supervisor } from '../../scripts/lib/supervisor.ts'
import { createKey } from '../../scripts/stack/company.ts'
import { startService } from '../../scripts/stack/services.ts'
import { startDatabase } from '../../scripts/stack/stack.ts'
import { SoakClient } from '../client.ts'
import type { SeededRandom } from '../random.ts'
import { pause } from '../rate.ts'
import { killable } from '../stack.ts'

const APIS = ['api-1', 'api-2', 'api-3'] as const
const KILL_EVERY_MS = 10_000
const LONGEST_PAUSE_MS = 3_000

/** What a copier gets as JSON in SOAK_SETTINGS. `turn`: the api that it asks first. `file`: where it keeps its copy. */
export type CopierSettings = { urls: string[]; key: string; turn: number; file: string }

/**
 * Starts a database and three apis, with their files in `dir`. They end with the supervisor.
 *
 * @returns a client that asks each of the apis first, and functions that start, kill and restart processes by name
 */
export async function startApis(everything: Supervisor, dir: string) {
  const { supervisor, pidOf, kill, restart } = killable(everything)
  const env = await startDatabase(supervisor, dir)
  const { companyId, key } = await createKey(env, 'admin:all')
  const apis = await Promise.all(
    APIS.map((name) => startService(supervisor, { kind: 'server', env, logDir: dir, name })),
  )
  const urls = apis.map(({ url }) => url)
  /** Kills these processes with SIGKILL, and starts them again after a pause. */
  async function killAndRestart(names: readonly string[], random: SeededRandom): Promise<void> {
    for (const name of names) await kill(name)
    await sleep(random.between(0, LONGEST_PAUSE_MS))
    for (const name of names) restart(name)
    console.log(`killed ${names.join(' and ')}`)
  }
  return {
    databaseUrl: env['DATABASE_URL'] ?? '',
    companyId,
    clients: urls.map((_, turn) => new SoakClient(urls, key, turn)),
    pidOf,
    kill,
    killAndRestart,
    /** Starts copier.ts. @param onLine gets what it prints @returns the file with its copy */
    startCopier(name: string, turn: number, onLine: (line: string) => void): string {
      const settings: CopierSettings = { urls, key, turn, file: path.join(dir, `${name}.lines`) }
      supervisor.start({
        name,
        command: process.execPath,
        args: [path.join(ROOT, 'soak/sync/copier.ts')],
        env: { PATH: process.env['PATH'], SOAK_SETTINGS: JSON.stringify(settings) },
        logFile: path.join(dir, `${name}.log`),
        onLine,
      })
      return settings.file
    },
    /** Every 10 s kills the next api and this copier, and starts them again. Ends at the signal. @returns how often it did */
    async killInTurns(copier: string, random: SeededRandom, isOver: AbortSignal): Promise<number> {
      for (let turn = 0; ; turn++) {
        if (await pause(KILL_EVERY_MS, isOver)) return turn
        await killAndRestart([APIS[turn % APIS.length]!, copier], random)
      }
    },
    /** Resolves once all apis answer. */
    untilReady: () => Promise.all(apis.map((api) => waitUntil('An api that was killed', api.isReady))),
  }
}
