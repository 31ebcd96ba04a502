import { apiClient } from '../demo/http.mjs'
import { freePorts } from '../lib/ports.mjs'
import { databaseGreets, httpAnswers, waitUntil } from '../lib/ready.mjs'
import { createKey, prepareDatabase } from '../stack/database.mjs'
import { startService, startTemporal, writeCertificate } from '../stack/services.mjs'

/** What the soak kills. */
export const PARTS = /** @type {const} */ (['worker', 'api', 'database', 'temporal'])

/** Times are short, so that retries, take-overs and the reconciler have their turn within a short run. */
const SETTINGS = {
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
  WEBHOOK_RETRY_SCHEDULE: '1s,2s,3s,5s',
  WEBHOOK_TIMEOUT: '4s',
  RECORDING_TIMEOUT: '5s',
  RECONCILE_AFTER: '5s',
  RATE_LIMIT_PER_MINUTE: '0',
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
  const supervisor = {
    ...everything,
    start: (/** @type {Service} */ service) => {
      const pid = everything.start(service)
      running.set(service.name, { service, pid })
      return pid
    },
  }
  const partOf = (/** @type {Part} */ part) => {
    const found = running.get(part)
    if (!found) throw new Error(`There is no ${part} to kill`)
    return found
  }
  const { cert, key: tlsKey, certFile } = await writeCertificate(dir)
  const [databasePort = 0, grpc = 0, http = 0, metrics = 0] = await freePorts([0, 0, 0, 0])
  const [databaseEnv, temporal] = await Promise.all([
    prepareDatabase(supervisor, dir, databasePort),
    startTemporal(supervisor, dir, { grpc, http, metrics }),
  ])
  const env = {
    ...{ ...databaseEnv, ...SETTINGS, TEMPORAL_ADDRESS: temporal.address },
    ...{ WEBHOOK_CA_FILE: certFile, DELIVERY_FIRST_ATTEMPT: lane },
  }
  const { key } = await createKey(env, 'admin:all')
  const [api, worker] = await Promise.all([
    startService(supervisor, { kind: 'server', dir, env, name: 'api' }),
    startService(supervisor, { kind: 'worker', dir, env, name: 'worker' }),
  ])
  /** @type {Record<Part, () => Promise<boolean>>} */
  const isReady = {
    worker: () => httpAnswers(`${worker.url}/readyz`),
    api: () => httpAnswers(`${api.url}/readyz`),
    database: () => databaseGreets('127.0.0.1', databasePort),
    temporal: () => httpAnswers(`http://127.0.0.1:${http}/api/v1/namespaces/default`),
  }
  return {
    ...{ env, api: apiClient(api.url, key), tls: { cert, key: tlsKey } },
    kill: (part) => everything.kill(partOf(part).pid),
    async restart(part) {
      supervisor.start(partOf(part).service)
      await waitUntil(`The ${part}, started again after a kill,`, isReady[part])
    },
  }
}
