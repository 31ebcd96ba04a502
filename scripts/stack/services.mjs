import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createContext } from '../lib/find.mjs'
import { freePorts } from '../lib/ports.mjs'
import { tcpAnswers, httpAnswers, waitUntil } from '../lib/ready.mjs'
import { findTemporal } from '../lib/temporal/find.mjs'
import { launchTemporal } from '../lib/temporal/launch.mjs'
import { makeCertificate } from '../receiver/certificate.mjs'

/*
 * Temporal, api, worker and a certificate for whoever runs a whole service of its own: the benchmarks and the soak.
 */

/** Longer than any grace period, so that we notice a process that outlives its own. */
const KILL_AFTER_MS = 60_000

/**
 * @typedef {import('../lib/supervisor.mjs').Supervisor} Supervisor
 *
 * @typedef {object} RunningService an api or a worker
 * @property {string} url where it answers, such as http://127.0.0.1:4000
 * @property {number} pid
 * @property {() => Promise<{ code: number | null, seconds: number }>} stop tells it to stop; code: null when it was killed after 60 s
 */

/**
 * Starts a Temporal server that keeps its state in a file.
 *
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
 * Starts an api or a worker of the build, and waits until it is ready.
 *
 * @param {Supervisor} supervisor
 * @param {{ kind: 'server' | 'worker', dir: string, env: NodeJS.ProcessEnv, name?: string }} options
 * @returns {Promise<RunningService>}
 */
export async function startService(supervisor, { kind, dir, env, name: chosen }) {
  const [port] = await freePorts([0])
  const name = chosen ?? `${kind}-${port}`
  const pid = supervisor.start({
    ...{ name, command: process.execPath, args: [`dist/${kind}.js`], graceMs: KILL_AFTER_MS },
    // MALLOC_ARENA_MAX as in the image.
    env: { MALLOC_ARENA_MAX: '2', ...env, [kind === 'server' ? 'PORT' : 'WORKER_PORT']: String(port) },
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

/**
 * Makes the certificate that the endpoints show and the workers trust.
 *
 * @param {string} dir gets it as two files
 */
export async function writeCertificate(dir) {
  const { cert, key } = await makeCertificate()
  const files = { certFile: path.join(dir, 'cert.pem'), keyFile: path.join(dir, 'key.pem') }
  await writeFile(files.certFile, cert)
  await writeFile(files.keyFile, key, { mode: 0o600 })
  return { cert, key, ...files }
}
