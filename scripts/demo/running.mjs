import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { readAlive } from '../lib/leftovers.mjs'
import { readLock } from '../lib/lock.mjs'
import { isRunning } from '../lib/process-identity.mjs'
import { serviceUrls } from '../stack/services.ts'

/**
 * @typedef {object} RunningDemo what a start that runs has written into its data directory
 * @property {NodeJS.ProcessEnv} env settings of its api and worker
 * @property {string} apiUrl
 * @property {ReadonlyMap<string, number>} pids by name; only of what that start launched itself
 */

/**
 * Finds the service that `npm start` runs with a data directory.
 *
 * @param {string} dataDir
 * @returns {Promise<RunningDemo>}
 * @throws {Error} that says what to do when nothing runs, or when it is not up yet
 */
export async function findRunning(dataDir) {
  const lock = await readLock(path.join(dataDir, 'start.lock'))
  if (lock === undefined || !isRunning(lock.owner)) {
    throw new Error('No service runs in this checkout: run "npm start" in another terminal first')
  }
  if (lock.summary === undefined)
    throw new Error('The service is still starting: try again once "npm start" says that it is up')
  const env = parseEnv(await readFile(path.join(dataDir, 'service.env'), 'utf8'))
  const processes = await readAlive(path.join(dataDir, 'children.jsonl'))
  const pids = new Map(processes.map(({ name, pid }) => [name, pid]))
  return { env, apiUrl: serviceUrls(env).api, pids }
}
