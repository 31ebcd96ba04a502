import { apiClient } from '../../demo/http.mjs'
import { freePorts } from '../../lib/ports.mjs'
import { createKey } from '../../stack/company.ts'
import { makeDirectory, startStack, watchStarts } from '../../stack/stack.ts'
import { clearTables } from './fixture.mjs'
import { readPeaks, resetPeaks } from './processes.mjs'
import { startPrograms } from './programs.mjs'

/** Settings that the caller may choose for the processes; all others are those of the benchmark. */
const PASSED_ON = ['WEBHOOK_CONCURRENCY']

/**
 * @typedef {import('../../lib/supervisor.mjs').Supervisor} Supervisor
 * @typedef {import('./programs.mjs').Commander} Commander
 *
 * @typedef {object} BenchStack the whole service on loopback, with a load process and endpoints of its own
 * @property {boolean} isAttached the service ran before and goes on afterwards, so nothing of it may be stopped or emptied
 * @property {Map<string, number>} pids of what runs now: api, worker, database, temporal, load, receiver; none when those
 *   of a service that ran before are not known
 * @property {string} lane who makes the first attempt
 * @property {(lane: string) => Promise<void>} useLane the way to first attempts of the worker that starts next; one that runs is stopped
 * @property {string} companyId
 * @property {ReturnType<typeof apiClient>} api with an admin:all key
 * @property {NodeJS.ProcessEnv} env of the processes
 * @property {import('knex').Knex} db a pool of the stack's database
 * @property {Commander} load commands of load.mjs
 * @property {Commander} receiver commands of receiver.mjs
 * @property {(path: string) => string} endpoint a URL of the receiver
 * @property {string} deadEndpoint a URL where connections are refused
 * @property {string} temporalVersion
 * @property {() => Promise<import('./processes.mjs').PerProcess>} peaks most memory of each process since the
 *   last reset, in MiB; of the worker: of all that ran since then
 * @property {() => Promise<void>} reset ends what the phase before left: webhooks, and deliveries that are open
 * @property {() => Promise<void>} resetPeaks makes the peaks count from now on
 * @property {() => Promise<void>} startWorker unless it runs
 * @property {() => Promise<void>} stopWorker if it runs
 */

/**
 * Starts everything but the worker, as `npm start` would; it ends with the supervisor.
 *
 * @param {Supervisor} everything
 * @returns {Promise<BenchStack>}
 */
export async function startBenchStack(everything) {
  /** @type {Map<string, number>} */
  const pids = new Map()
  const supervisor = watchStarts(everything, ({ name }, pid) => pids.set(name, pid))
  /** @type {import('./processes.mjs').PerProcess} */
  let peaks = {}
  const keepPeaks = (/** @type {import('./processes.mjs').PerProcess} */ now) => {
    for (const [name, mib] of Object.entries(now)) peaks[name] = Math.max(peaks[name] ?? 0, mib)
  }
  const dir = await makeDirectory(everything, 'bench-throughput')
  const { env, tls, temporal, start } = await startStack(supervisor, { dir, settings: settings() })
  const { companyId, key } = await createKey(env, 'admin:all')
  const api = await start('server')
  const [tlsPort, deadPort] = await freePorts([0, 0])
  const programs = await startPrograms(supervisor, { dir, apiUrl: api.url, keys: [key], tls, tlsPort })
  const { connect } = await import('../../../src/db/connection/connection.ts')
  const db = connect(env.DATABASE_URL)
  const stack = {
    isAttached: false,
    pids,
    companyId,
    env,
    db,
    temporalVersion: temporal.version,
    ...programs,
    lane: 'workflow',
    api: apiClient(api.url, key),
    deadEndpoint: `https://127.0.0.1:${deadPort}/dead`,
    async startWorker() {
      if (pids.has('worker')) return
      await start('worker', { DELIVERY_FIRST_ATTEMPT: stack.lane })
    },
    async useLane(/** @type {string} */ lane) {
      if (lane === stack.lane) return
      const stopped = stack.stopWorker()
      stack.lane = lane
      await stopped
    },
    async peaks() {
      keepPeaks(await readPeaks(pids))
      return { ...peaks }
    },
    reset: () => clearTables(db),
    async resetPeaks() {
      await resetPeaks(pids)
      peaks = {}
    },
    async stopWorker() {
      const pid = pids.get('worker')
      keepPeaks(await readPeaks(pids))
      pids.delete('worker')
      if (pid !== undefined) await supervisor.end(pid)
    },
  }
  return stack
}

/** @returns {NodeJS.ProcessEnv} */
const settings = () => ({
  RATE_LIMIT_PER_MINUTE: '0',
  COMPANY_RATE_LIMIT_PER_MINUTE: '0',
  ...Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
})
