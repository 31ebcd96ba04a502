import { rm } from 'node:fs/promises'
import { apiClient } from '../../demo/http.mjs'
import { createReceiver } from '../../receiver/receiver.mjs'
import { createKey } from '../../stack/company.ts'
import { makeDirectory, startStack as startServers, watchStarts } from '../../stack/stack.ts'
import { startAttacker } from './attacker.mjs'

/**
 * @typedef {ReturnType<typeof apiClient>} Api
 * @typedef {import('../../lib/supervisor.mjs').Supervisor} Supervisor
 *
 * @typedef {import('../../stack/services.ts').RunningService} RunningService
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
 * @typedef {{ env?: Record<string, string>, workers?: number, keepsRequests?: boolean }} StackOptions env: settings of the
 *   processes; workers: 1 by default; keepsRequests: whether the receiver keeps what it got, true by default
 */

/**
 * Starts a service on servers of its own. It ends with the supervisor, or before by `stop`.
 *
 * @param {Supervisor} everything
 * @param {StackOptions} [options]
 * @returns {Promise<HostileStack>}
 */
export async function startStack(everything, { env: settings = {}, workers = 1, keepsRequests = true } = {}) {
  /** @type {number[]} */
  const pids = []
  /** @type {Set<HostileStack>} */
  const others = new Set()
  const stopOther = (/** @type {HostileStack} */ other) =>
    others.delete(other) ? other.stop() : Promise.resolve()
  const supervisor = watchStarts(everything, (_service, pid) => pids.push(pid))
  const dir = await makeDirectory(everything, 'bench-stack')
  const servers = await startServers(supervisor, { dir, settings })
  const { env, tls, temporal } = servers
  let count = 0
  const start = (/** @type {'server' | 'worker'} */ kind, /** @type {Record<string, string>} */ more = {}) =>
    servers.start(kind, more, { name: `${kind}-${++count}` })
  const receiver = await createReceiver({ cert: tls.cert, key: tls.key, isKept: keepsRequests })
  const { connect } = await import('../../../src/db/connection/connection.ts')
  const db = connect(env.DATABASE_URL)
  const [api, ...started] = await Promise.all([
    start('server'),
    ...Array.from({ length: workers }, () => start('worker')),
  ])
  return {
    api,
    workers: started,
    apiUrl: api.url,
    env,
    receiver,
    tls,
    db,
    attack: startAttacker,
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
      await rm(dir, { recursive: true, force: true })
    },
  }
}
