import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { findDatabase } from '../lib/database/find.mjs'
import { launchDatabase } from '../lib/database/launch.mjs'
import { createContext } from '../lib/find.mjs'
import { ROOT } from '../lib/paths.mjs'
import { keepSecrets, writePrivate } from '../lib/private-files.mjs'
import { httpAnswers, waitUntil } from '../lib/ready.mjs'
import { findTemporal } from '../lib/temporal/find.mjs'
import { launchTemporal } from '../lib/temporal/launch.mjs'
import { notableLine } from './log-lines.mjs'
import { proveDelivery } from './prove.mjs'
import { cli, seedDemo } from './seed.mjs'
import { choosePorts, serviceEnvironment, serviceFile, serviceUrls } from './settings.mjs'
import { describeDemo } from './summary.mjs'

/**
 * Launches everything the demo consists of, seeds it and sends one event through.
 *
 * @param {object} options
 * @param {import('../lib/supervisor.mjs').Supervisor} options.supervisor
 * @param {ReturnType<typeof import('../lib/progress.mjs').createProgress>} options.progress
 * @param {string} options.dataDir
 * @param {NodeJS.ProcessEnv} options.env the user's
 * @returns {Promise<string>} what to tell the user
 */
export async function launchDemo({ supervisor, progress, dataDir, env }) {
  const at = (/** @type {string[]} */ ...parts) => path.join(dataDir, ...parts)
  await mkdir(at('logs'), { recursive: true, mode: 0o700 })
  const secrets = await keepSecrets(at('secrets.env'))
  const ports = await choosePorts(env)
  const launch = { supervisor, progress, env, ports, at }
  const [databaseUrl, temporal] = await Promise.all([startDatabase(launch, secrets), startTemporal(launch)])
  const { ca, caFile } = await certificate(at)
  const parts = {
    ports,
    databaseUrl,
    temporalAddress: temporal.address,
    temporalUi: temporal.ui,
    secretsKeys: secrets.SECRETS_KEYS,
    caFile,
  }
  const serviceEnv = serviceEnvironment(env, parts)
  const urls = serviceUrls(serviceEnv)
  // `npm run cli`, `start:api` and `start:worker` read it, so that they work on this demo for as long as it runs.
  const example = await readFile(path.join(ROOT, '.env.example'), 'utf8')
  await writePrivate(at('service.env'), serviceFile(serviceEnv, example))
  supervisor.onCleanup(() => rm(at('service.env'), { force: true }))
  await progress.step('Migrate the database', {}, () => cli(['migrate'], serviceEnv))
  await progress.step('Start api, worker and demo receiver', {}, () =>
    startServices(launch, serviceEnv, urls),
  )
  const receiver = { port: Number(serviceEnv.RECEIVER_PORT), ca }
  const demo = await progress.step('Seed the demo company, key and webhooks', {}, () =>
    seedDemo({ file: at('demo.json'), apiUrl: urls.api, receiverPort: receiver.port, env: serviceEnv }),
  )
  const proofs = await progress.step('Send one event through', {}, (onUpdate) =>
    proveDelivery({ apiUrl: urls.api, demo, receiver, onUpdate }),
  )
  return describeDemo({
    ...{ urls, temporalUi: temporal.ui, namespace: serviceEnv.TEMPORAL_NAMESPACE ?? 'default' },
    ...{ receiver: `https://127.0.0.1:${receiver.port}`, key: demo.key, user: demo.user, proofs },
    schedule: serviceEnv.WEBHOOK_RETRY_SCHEDULE ?? '',
  })
}

/** The receiver's certificate. Its maker needs an installed package, so it is loaded only now. */
async function certificate(at) {
  const { keepCertificate } = await import('../receiver/certificate.mjs')
  const { certFile: caFile } = await keepCertificate(at('receiver'))
  return { caFile, ca: await readFile(caFile, 'utf8') }
}

/** @returns {Promise<string>} a DATABASE_URL */
const startDatabase = ({ supervisor, progress, env, ports, at }, secrets) =>
  progress.step('Database', {}, async (onUpdate) => {
    const found = await findDatabase(createContext({ env, onUpdate }))
    if (found.kind === 'url') return found.url
    const url = await launchDatabase({
      ...{
        supervisor,
        found,
        port: ports.database,
        password: secrets.DATABASE_PASSWORD,
        isDurable: true,
        env,
      },
      ...{ dir: at('database'), logFile: at('logs', 'database.log') },
    })
    return `${url}sales_data`
  })

/** @returns {Promise<{ address: string, ui: string | undefined }>} */
const startTemporal = ({ supervisor, progress, env, ports, at }) =>
  progress.step('Temporal', {}, async (onUpdate) => {
    const found = await findTemporal(createContext({ env, onUpdate }))
    if (found.kind === 'address') return { address: found.address, ui: undefined }
    const { temporal: grpc, temporalHttp: http, temporalMetrics: metrics, temporalUi: ui } = ports
    const { address } = await launchTemporal({
      ...{
        supervisor,
        executable: found.executable,
        ports: { grpc, http, metrics, ui },
        isDurable: true,
        env,
      },
      ...{ databaseFile: at('temporal.db'), logFile: at('logs', 'temporal.log') },
    })
    return { address, ui: `http://127.0.0.1:${ui}` }
  })

/** Starts the receiver first, so that it stops last: a delivery under way at the stop still has its endpoint. */
async function startServices({ supervisor, progress, at }, env, urls) {
  const start = (/** @type {string} */ name, /** @type {string[]} */ args, graceMs = 30_000) =>
    supervisor.start({
      ...{
        name,
        command: process.execPath,
        args,
        // As in the image.
        env: { MALLOC_ARENA_MAX: '2', ...env },
        cwd: ROOT,
        graceMs,
        logFile: at('logs', `${name}.log`),
      },
      onLine(line) {
        const text = notableLine(line)
        if (text !== undefined) progress.print(`[${name}] ${text}`)
      },
    })
  start('receiver', ['scripts/receiver/main.mjs', at('receiver')], 2000)
  start('api', ['dist/server.js'])
  start('worker', ['dist/worker.js'])
  const isReady = (/** @type {string} */ url) =>
    waitUntil(`${url}/readyz`, () => httpAnswers(`${url}/readyz`))
  await Promise.all([isReady(urls.api), isReady(urls.worker)])
}
