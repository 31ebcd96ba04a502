import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { readFileSettings } from '../lib/file-settings.mjs'
import { DATA_DIR, ROOT } from '../lib/paths.mjs'
import { keepSecrets, writePrivate } from '../lib/private-files.mjs'
import { cli } from '../stack/company.ts'
import { provideDatabase, provideTemporal } from '../stack/servers.ts'
import { serviceUrls, startService } from '../stack/services.ts'
import { notableLine } from './log-lines.mjs'
import { proveDelivery } from './prove.mjs'
import { seedDemo } from './seed.mjs'
import { choosePorts, serviceEnvironment, serviceFile, settingNames } from './settings.mjs'
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
export async function launchDemo({ supervisor, progress, dataDir, env: given }) {
  const example = await readFile(path.join(ROOT, '.env.example'), 'utf8')
  const env = readFileSettings(given, [...settingNames(example), 'TEMPORAL_API_KEY'])
  const at = (/** @type {string[]} */ ...parts) => path.join(dataDir, ...parts)
  await mkdir(at('logs'), { recursive: true, mode: 0o700 })
  const secrets = await keepSecrets(at('secrets.env'))
  const ports = await choosePorts(env, { isElsewhere: dataDir !== DATA_DIR })
  const servers = { supervisor, dir: dataDir, logDir: at('logs'), env, isDurable: true }
  const password = secrets.DATABASE_PASSWORD
  const { temporal: grpc, temporalHttp: http, temporalMetrics: metrics, temporalUi: ui } = ports
  const [databaseUrl, temporal] = await Promise.all([
    progress.step('Database', {}, (onUpdate) =>
      provideDatabase({ ...servers, onUpdate, name: 'sales_data', port: ports.database, password }),
    ),
    progress.step('Temporal', {}, (onUpdate) =>
      provideTemporal({ ...servers, onUpdate, ports: { grpc, http, metrics, ui } }),
    ),
  ])
  const temporalUi = temporal.launched && `http://127.0.0.1:${ui}`
  // The maker of the receiver's certificate needs an installed package, so it is loaded only now.
  const { keepCertificate } = await import('../receiver/certificate.mjs')
  const { cert: ca, certFile: caFile } = await keepCertificate(at('receiver'))
  const parts = {
    ports,
    databaseUrl,
    temporalAddress: temporal.address,
    temporalUi,
    secretsKeys: secrets.SECRETS_KEYS,
    caFile,
  }
  const serviceEnv = serviceEnvironment(env, parts)
  const urls = serviceUrls(serviceEnv)
  // `npm run cli`, `start:api` and `start:worker` read it, so that they work on this demo for as long as it runs.
  await writePrivate(at('service.env'), serviceFile(serviceEnv, example))
  supervisor.onCleanup(() => rm(at('service.env'), { force: true }))
  await progress.step('Migrate the database', {}, (onUpdate) => cli(['migrate'], serviceEnv, onUpdate))
  await progress.step('Start api, worker and demo receiver', {}, () =>
    startServices({ supervisor, progress, at }, serviceEnv),
  )
  const receiver = { port: Number(serviceEnv.RECEIVER_PORT), ca }
  const demo = await progress.step('Seed the demo company, key and webhooks', {}, () =>
    seedDemo({ file: at('demo.json'), apiUrl: urls.api, receiverPort: receiver.port, env: serviceEnv }),
  )
  const proofs = await progress.step('Send one event through', {}, (onUpdate) =>
    proveDelivery({ apiUrl: urls.api, demo, receiver, onUpdate }),
  )
  return describeDemo({
    urls,
    temporalUi,
    namespace: serviceEnv.TEMPORAL_NAMESPACE ?? 'default',
    receiver: `https://127.0.0.1:${receiver.port}`,
    key: demo.key,
    user: demo.user,
    proofs,
    schedule: serviceEnv.WEBHOOK_RETRY_SCHEDULE ?? '',
  })
}

/** Starts the receiver first, so that it stops last: a delivery under way at the stop still has its endpoint. */
async function startServices({ supervisor, progress, at }, env) {
  const printNotable = (/** @type {string} */ name) => (/** @type {string} */ line) => {
    const text = notableLine(line)
    if (text !== undefined) progress.print(`[${name}] ${text}`)
  }
  supervisor.start({
    name: 'receiver',
    command: process.execPath,
    args: ['scripts/receiver/main.mjs', at('receiver')],
    // As in the image.
    env: { MALLOC_ARENA_MAX: '2', ...env },
    cwd: ROOT,
    graceMs: 2000,
    logFile: at('logs', 'receiver.log'),
    onLine: printNotable('receiver'),
  })
  const options = { env, logDir: at('logs'), graceMs: 30_000 }
  await Promise.all([
    startService(supervisor, { ...options, kind: 'server', onLine: printNotable('api') }),
    startService(supervisor, { ...options, kind: 'worker', onLine: printNotable('worker') }),
  ])
}
