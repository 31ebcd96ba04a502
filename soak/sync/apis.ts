import path from 'node:path'
import { ROOT } from '../../scripts/lib/paths.mjs'
import type { Supervisor } from '../../scripts/lib/supervisor.ts'
import { createKey } from '../../scripts/stack/company.ts'
import { startService } from '../../scripts/stack/services.ts'
import { startDatabase } from '../../scripts/stack/stack.ts'
import { SoakClient } from '../client.ts'
import { killable } from '../stack.ts'

export const APIS = ['api-1', 'api-2', 'api-3']

/**
 * Starts a database and the apis, with their files in `dir`. They end with the supervisor.
 *
 * @returns a client that asks each of the apis first, and functions that start, kill and restart processes by name
 */
export async function startApis(everything: Supervisor, dir: string) {
  const isReady = async (name: string) => apis[APIS.indexOf(name)]?.isReady() ?? true
  const { supervisor, ...processes } = killable(everything, isReady)
  const env = await startDatabase(supervisor, dir)
  const { companyId, key } = await createKey(env, 'admin:all')
  const apis = await Promise.all(
    APIS.map((name) => startService(supervisor, { kind: 'server', env, logDir: dir, name })),
  )
  const urls = apis.map(({ url }) => url)
  return {
    ...processes,
    databaseUrl: env['DATABASE_URL'] ?? '',
    companyId,
    clients: urls.map((_, turn) => new SoakClient(urls, key, turn)),
    /** Starts copier.ts. @param turn the api that it asks first @param onLine gets what it prints @returns the file with its copy */
    startCopier(name: string, turn: number, onLine: (line: string) => void): string {
      const file = path.join(dir, `${name}.lines`)
      supervisor.start({
        name,
        command: process.execPath,
        args: [path.join(ROOT, 'soak/sync/copier.ts'), file, String(turn), ...urls],
        env: { PATH: process.env['PATH'], API_KEY: key },
        logFile: path.join(dir, `${name}.log`),
        onLine,
      })
      return file
    },
  }
}
