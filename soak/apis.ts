import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitUntil } from '../scripts/lib/ready.ts'
import { ROOT } from '../scripts/lib/paths.mjs'
import type { Service, Supervisor } from '../scripts/lib/supervisor.ts'
import { createKey } from '../scripts/stack/company.ts'
import { startService } from '../scripts/stack/services.ts'
import { startDatabase, watchStarts } from '../scripts/stack/stack.ts'

/** Apis on a database of their own, and programs that use them, all of which can be killed. */
export type SoakApis = Awaited<ReturnType<typeof startApis>>

/**
 * Starts a database and apis with these names, with their files in `dir`. They end with the supervisor.
 *
 * @returns urls and a key of a company, and what starts, kills and restarts apis and programs by name
 */
export async function startApis(everything: Supervisor, dir: string, names: readonly string[]) {
  const started = new Map<string, { service: Service; pid: number }>()
  const supervisor = watchStarts(everything, (service, pid) => started.set(service.name, { service, pid }))
  const env = await startDatabase(supervisor, dir)
  const { companyId, key } = await createKey(env, 'admin:all')
  const apis = await Promise.all(
    names.map((name) => startService(supervisor, { kind: 'server', env, logDir: dir, name })),
  )
  const urls = apis.map(({ url }) => url)
  const pidOf = (name: string): number => started.get(name)!.pid
  return {
    databaseUrl: env['DATABASE_URL'] ?? '',
    companyId,
    key,
    urls,
    pidOf,
    /** The file of a program's own. */
    fileOf: (name: string) => path.join(dir, `${name}.lines`),
    /** Starts a program of soak/, which reads its settings with readSettings of client.ts. */
    startProgram(name: string, program: string, onLine?: (line: string) => void): number {
      return supervisor.start({
        name,
        command: process.execPath,
        args: [path.join(ROOT, 'soak', program)],
        env: {
          PATH: process.env['PATH'],
          FEED_URLS: urls.join(),
          FEED_KEY: key,
          FEED_NAME: name,
          FEED_FILE: path.join(dir, `${name}.lines`),
        },
        logFile: path.join(dir, `${name}.log`),
        ...(onLine && { onLine }),
      })
    },
    /** Kills some with SIGKILL and starts them again after a pause. */
    async killAndRestart(killed: readonly string[], pauseMs: number): Promise<void> {
      for (const name of killed) await everything.kill(pidOf(name))
      await sleep(pauseMs)
      for (const name of killed) supervisor.start(started.get(name)!.service)
      console.log(`killed ${killed.join(' and ')}`)
    },
    /** Until all apis answer. */
    untilReady: () => Promise.all(apis.map((api) => waitUntil('An api that was killed', api.isReady))),
  }
}
