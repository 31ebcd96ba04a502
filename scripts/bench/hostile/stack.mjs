import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { apiClient } from '../../demo/http.mjs'
import { createContext } from '../../lib/find.mjs'
import { freePorts } from '../../lib/ports.mjs'
import { tcpAnswers, httpAnswers, waitUntil } from '../../lib/ready.mjs'
import { findTemporal } from '../../lib/temporal/find.mjs'
import { launchTemporal } from '../../lib/temporal/launch.mjs'
import { makeCertificate } from '../../receiver/certificate.mjs'
import { createReceiver } from '../../receiver/receiver.mjs'
import { createKey, prepareDatabase } from '../database.mjs'
import { startAttacker } from './attacker.mjs'

/** Longer than any grace period, so that we notice a process that outlives its own. */
const KILL_AFTER_MS = 60_000

/**
 * @typedef {ReturnType<typeof apiClient>} Api
 * @typedef {import('../../lib/supervisor.mjs').Supervisor} Supervisor
 *
 * @typedef {object} RunningService an api or a worker
 * @property {string} url where it answers, such as http://127.0.0.1:4000
 * @property {number} pid
 * @property {() => Promise<{ code: number | null, seconds: number }>} stop tells it to stop; code: null when it was killed after 60 s
 *
 * @typedef {object} HostileStack a service of its own on loopback: database, Temporal, api, workers and a TLS receiver
 * @property {string} apiUrl
 * @property {RunningService} api
 * @property {RunningService[]} workers those that it was started with
 * @property {Record<string, string>} env what the processes are started with
 * @property {import('../../receiver/receiver.d.mts').Receiver} receiver in this process
 * @property {{ certFile: string, keyFile: string }} tls of the receiver: what the workers trust, for endpoints in other processes
 *   and for an api with TLS (`TLS_CERT_FILE`, `TLS_KEY_FILE`)
 * @property {string} temporalVersion of the server
 * @property {import('knex').Knex} db a pool of the stack's database
 * @property {() => Promise<{ companyId: string, key: string, api: Api }>} tenant makes a company with an admin:all key
 * @property {(more?: Record<string, string>) => Promise<RunningService>} startWorker one more, with other settings
 * @property {(more?: Record<string, string>) => Promise<RunningService>} startApi one more, with other settings
 * @property {typeof startAttacker} attack runs an exported function in a process of its own
 * @property {(options?: StackOptions) => Promise<HostileStack>} another a stack beside this one, for a row with special needs; stop it
 * @property {() => Promise<void>} stopOthers stops those that are still there
 * @property {() => Promise<void>} stop ends all its processes
 *
 * @typedef {{ env?: Record<string, string>, workers?: number }} StackOptions env: settings of the processes; workers: 1 by default
 */

/**
 * Starts a service on servers of its own. It ends with the supervisor, or before by `stop`.
 *
 * @param {Supervisor} everything
 * @param {StackOptions} [options]
 * @returns {Promise<HostileStack>}
 */
export async function startStack(everything, { env: settings = {}, workers = 1 } = {}) {
  /** @type {number[]} */
  const pids = []
  /** @type {Set<HostileStack>} */
  const others = new Set()
  const stopOther = (/** @type {HostileStack} */ other) =>
    others.delete(other) ? other.stop() : Promise.resolve()
  const supervisor = {
    ...everything,
    start: (/** @type {import('../../lib/supervisor.mjs').Service} */ service) => {
      const pid = everything.start(service)
      pids.push(pid)
      return pid
    },
  }
  const dir = await mkdtemp(path.join(tmpdir(), 'bench-stack-'))
  const remove = () => rm(dir, { recursive: true, force: true })
  everything.onCleanup(remove)
  const { receiver, tls } = await startReceiver(dir)
  const [databasePort, grpc, http, metrics] = await freePorts([0, 0, 0, 0])
  const [databaseEnv, temporal] = await Promise.all([
    prepareDatabase(supervisor, dir, databasePort),
    startTemporal(supervisor, dir, { grpc, http, metrics }),
  ])
  const env = {
    ...databaseEnv,
    TEMPORAL_ADDRESS: temporal.address,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    WEBHOOK_CA_FILE: tls.certFile,
    ...settings,
  }
  const { connect } = await import('../../../dist/db/connection/connection.js')
  const db = connect(env.DATABASE_URL)
  const start = (/** @type {'server' | 'worker'} */ kind, /** @type {Record<string, string>} */ more = {}) =>
    startService(supervisor, { kind, dir, env: { ...env, ...more } })
  const [api, ...started] = await Promise.all([
    start('server'),
    ...Array.from({ length: workers }, () => start('worker')),
  ])
  return {
    ...{ api, workers: started, apiUrl: api.url, env, receiver, tls, db, attack: startAttacker },
    temporalVersion: temporal.version,
    async tenant() {
      const made = await createKey(env, 'admin:all')
      return { ...made, api: apiClient(api.url, made.key) }
    },
    startWorker: (more) => start('worker', more),
    startApi: (more) => start('server', more),
    async another(options) {
      const other = await startStack(everything, options)
      others.add(other)
      return { ...other, stop: () => stopOther(other) }
    },
    stopOthers: async () => {
      for (const other of others) await stopOther(other)
    },
    async stop() {
      for (const pid of pids.reverse()) await supervisor.end(pid)
      await db.destroy()
      await receiver.close()
      await remove()
    },
  }
}

/** @param {string} dir */
async function startReceiver(dir) {
  const certificate = await makeCertificate()
  const tls = { certFile: path.join(dir, 'cert.pem'), keyFile: path.join(dir, 'key.pem') }
  await writeFile(tls.certFile, certificate.cert)
  await writeFile(tls.keyFile, certificate.key, { mode: 0o600 })
  return { receiver: await createReceiver(certificate), tls }
}

/**
 * @param {Supervisor} supervisor
 * @param {string} dir
 * @param {{ grpc: number, http: number, metrics: number }} ports
 * @returns {Promise<{ address: string, version: string }>}
 */
export async function startTemporal(supervisor, dir, ports) {
  // A server that already runs serves others too.
  const context = createContext({ env: { ...process.env, TEMPORAL_ADDRESS: '' } })
  const found = await findTemporal(context)
  if (found.kind === 'address') throw new Error('no address was given')
  const { address } = await launchTemporal({
    ...{ supervisor, executable: found.executable, ports, isDurable: true, env: context.env },
    ...{ databaseFile: path.join(dir, 'temporal.db'), logFile: path.join(dir, 'temporal.log') },
  })
  return { address, version: found.version }
}

/**
 * @param {Supervisor} supervisor
 * @param {{ kind: 'server' | 'worker', dir: string, env: NodeJS.ProcessEnv, name?: string }} options
 * @returns {Promise<RunningService>}
 */
export async function startService(supervisor, { kind, dir, env, name: chosen }) {
  const [port] = await freePorts([0])
  const name = chosen ?? `${kind}-${port}`
  const pid = supervisor.start({
    ...{ name, command: process.execPath, args: [`dist/${kind}.js`], graceMs: KILL_AFTER_MS },
    env: { ...env, [kind === 'server' ? 'PORT' : 'WORKER_PORT']: String(port) },
    logFile: path.join(dir, `${name}.log`),
  })
  const url = `${env.TLS_CERT_FILE && kind === 'server' ? 'https' : 'http'}://127.0.0.1:${port}`
  // No process here trusts the certificate of an api with TLS.
  const isReady = () =>
    url.startsWith('https') ? tcpAnswers('127.0.0.1', port) : httpAnswers(`${url}/readyz`)
  await waitUntil(`The ${kind}`, isReady)
  return {
    ...{ url, pid },
    async stop() {
      const startedMs = performance.now()
      const code = await supervisor.end(pid)
      return { code, seconds: (performance.now() - startedMs) / 1000 }
    },
  }
}
