import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseEnv } from 'node:util'
import type { LockContent } from '../lib/lock.ts'
import { readJson } from '../lib/private-files.ts'
import { isRunning, readAlive } from '../lib/processes.ts'
import { serviceUrls } from '../stack/services.ts'

/**
 * Finds the service that `npm start` runs with a data directory.
 *
 * @returns env: settings of its api and worker; pids: by name, only of what that start launched itself
 * @throws Error that says what to do when nothing runs, or when it is not up yet
 */
export async function findRunning(dataDir: string) {
  const lock = await readJson<LockContent>(path.join(dataDir, 'start.lock'))
  if (lock === undefined || !isRunning(lock.owner))
    throw new Error('No service runs in this checkout: run "npm start" in another terminal first')
  if (lock.summary === undefined)
    throw new Error('The service is still starting: try again once "npm start" says that it is up')
  const env = parseEnv(await readFile(path.join(dataDir, 'service.env'), 'utf8')) as NodeJS.ProcessEnv
  const processes = await readAlive(path.join(dataDir, 'children.jsonl'))
  const pids: ReadonlyMap<string, number> = new Map(processes.map(({ name, pid }) => [name, pid]))
  return { env, apiUrl: serviceUrls(env).api, pids }
}
