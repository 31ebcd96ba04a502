import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiClient } from '../../demo/http.mjs'
import { freePorts } from '../../lib/ports.mjs'
import { tcpAnswers, waitUntil } from '../../lib/ready.mjs'
import { createKey, prepareDatabase } from '../../stack/database.mjs'
import { startService, startTemporal, writeCertificate } from '../../stack/services.mjs'
import { commander } from './commands.mjs'
import { readPeaks, resetPeaks } from './processes.mjs'

/** Settings that the caller may choose for the processes; all others are those of the benchmark. */
const PASSED_ON = ['DELIVERY_FIRST_ATTEMPT', 'WEBHOOK_CONCURRENCY']

/**
 * @typedef {import('../../lib/supervisor.mjs').Supervisor} Supervisor
 * @typedef {ReturnType<typeof commander>} Commander
 *
 * @typedef {object} BenchStack the whole service on loopback, with a load process and endpoints of its own
 * @property {Map<string, number>} pids of what runs now: api, worker, database, temporal, load, receiver
 * @property {string} lane who makes the first attempt
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
  const supervisor = {
    ...everything,
    start: (/** @type {import('../../lib/supervisor.mjs').Service} */ service) => {
      const pid = everything.start(service)
      pids.set(service.name, pid)
      return pid
    },
  }
  /** @type {import('./processes.mjs').PerProcess} */
  let peaks = {}
  const keepPeaks = (/** @type {import('./processes.mjs').PerProcess} */ now) => {
    for (const [name, mib] of Object.entries(now)) peaks[name] = Math.max(peaks[name] ?? 0, mib)
  }
  const dir = await mkdtemp(path.join(tmpdir(), 'bench-throughput-'))
  everything.onCleanup(() => rm(dir, { recursive: true, force: true }))
  const tls = await writeCertificate(dir)
  const ports = await freePorts([0, 0, 0, 0, 0, 0, 0, 0])
  const [databasePort, grpc, http, metrics, loadPort, receiverPort, tlsPort, deadPort] = ports
  const [databaseEnv, temporal] = await Promise.all([
    prepareDatabase(supervisor, dir, databasePort),
    startTemporal(supervisor, dir, { grpc, http, metrics }),
  ])
  const env = { ...databaseEnv, ...settings(temporal.address, tls.certFile) }
  const { companyId, key } = await createKey(env, 'admin:all')
  const api = await startService(supervisor, { kind: 'server', dir, env, name: 'api' })
  const program = (/** @type {string} */ name, /** @type {(string | number)[]} */ ...args) =>
    supervisor.start({
      ...{ name, command: process.execPath, graceMs: 2_000, logFile: path.join(dir, `${name}.log`) },
      args: [fileURLToPath(new URL(`./${name}.mjs`, import.meta.url)), ...args.map(String)],
    })
  program('load', loadPort, new URL(api.url).port, key)
  program('receiver', receiverPort, tlsPort, tls.certFile, tls.keyFile)
  for (const port of [loadPort, receiverPort, tlsPort])
    await waitUntil('Load and receiver', () => tcpAnswers('127.0.0.1', port))
  const { connect } = await import('../../../dist/db/connection/connection.js')
  return {
    ...{ pids, companyId, env, temporalVersion: temporal.version },
    lane: env.DELIVERY_FIRST_ATTEMPT ?? 'workflow',
    api: apiClient(api.url, key),
    db: connect(env.DATABASE_URL),
    load: commander(loadPort),
    receiver: commander(receiverPort),
    endpoint: (name) => `https://127.0.0.1:${tlsPort}${name}`,
    deadEndpoint: `https://127.0.0.1:${deadPort}/dead`,
    async startWorker() {
      if (!pids.has('worker')) await startService(supervisor, { kind: 'worker', dir, env, name: 'worker' })
    },
    async peaks() {
      keepPeaks(await readPeaks(pids))
      return { ...peaks }
    },
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
}

/** @param {string} temporalAddress @param {string} certFile @returns {NodeJS.ProcessEnv} */
const settings = (temporalAddress, certFile) => ({
  TEMPORAL_ADDRESS: temporalAddress,
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
  WEBHOOK_CA_FILE: certFile,
  RATE_LIMIT_PER_MINUTE: '0',
  ...Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
})
