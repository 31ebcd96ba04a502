import { apiClient } from '../demo/http.mjs'
import { databaseGreets, waitUntil } from '../lib/ready.mjs'
import { createKey } from '../stack/company.ts'
import { startStack, watchStarts } from '../stack/stack.ts'

/** What the soak kills. */
export const PARTS = /** @type {const} */ (['worker', 'api', 'database', 'temporal'])

/** Times are short, so that retries, take-overs and the reconciler have their turn within a short run. */
const SETTINGS = {
  WEBHOOK_RETRY_SCHEDULE: '1s,2s,3s,5s',
  WEBHOOK_TIMEOUT: '4s',
  RECORDING_TIMEOUT: '5s',
  RECONCILE_AFTER: '5s',
  RATE_LIMIT_PER_MINUTE: '0',
  COMPANY_RATE_LIMIT_PER_MINUTE: '0',
}

/**
 * @typedef {import('../lib/supervisor.mjs').Supervisor} Supervisor
 * @typedef {import('../lib/supervisor.mjs').Service} Service
 * @typedef {(typeof PARTS)[number]} Part
 *
 * @typedef {object} SoakStack the whole service on loopback, whose parts can be killed
 * @property {NodeJS.ProcessEnv} env of the processes
 * @property {ReturnType<typeof apiClient>} api with an admin:all key
 * @property {{ cert: string, key: string }} tls of the endpoints
 * @property {(part: Part) => Promise<void>} kill kills a part with SIGKILL
 * @property {(part: Part) => Promise<void>} restart starts a killed part as it was started first, until it is ready
 */

/**
 * Starts database, Temporal, api and worker as a production would, on free ports and with their files in `dir`. They end
 * with the supervisor.
 *
 * @param {Supervisor} everything
 * @param {{ dir: string, lane: string }} options
 * @returns {Promise<SoakStack>}
 */
export async function startSoakStack(everything, { dir, lane }) {
  /** @type {Map<string, { service: Service, pid: number }>} */
  const running = new Map()
  const supervisor = watchStarts(everything, (service, pid) => running.set(service.name, { service, pid }))
  const partOf = (/** @type {Part} */ part) => {
    const found = running.get(part)
    if (!found) throw new Error(`There is no ${part} to kill`)
    return found
  }
  const settings = { ...SETTINGS, DELIVERY_FIRST_ATTEMPT: lane }
  const { env, tls, temporal, start } = await startStack(supervisor, { dir, settings })
  const { key } = await createKey(env, 'admin:all')
  const [api, worker] = await Promise.all([start('server'), start('worker')])
  const { hostname, port } = new URL(env.DATABASE_URL ?? '')
  /** @type {Record<Part, () => Promise<boolean>>} */
  const isReady = {
    worker: worker.isReady,
    api: api.isReady,
    database: () => databaseGreets(hostname, Number(port)),
    temporal: temporal.answers,
  }
  return {
    env,
    tls,
    api: apiClient(api.url, key),
    kill: (part) => everything.kill(partOf(part).pid),
    async restart(part) {
      supervisor.start(partOf(part).service)
      await waitUntil(`The ${part}, started again after a kill,`, isReady[part])
    },
  }
}
