import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { DATA_DIR, ROOT } from '../lib/paths.mjs'
import { keepSecrets, writePrivate } from '../lib/private-files.ts'
import type { Progress } from '../lib/progress.ts'
import type { Supervisor } from '../lib/supervisor.ts'
import { keepCertificate } from '../receiver/certificate.ts'
import { FIXED_PATHS } from '../receiver/paths.ts'
import { cli } from '../stack/company.ts'
import { provideDatabase, provideTemporal } from '../stack/servers.ts'
import { serviceUrls, startService } from '../stack/services.ts'
import { proveDelivery, seedDemo, type Demo, type Proof } from './seed.mjs'
import * as settings from './settings.ts'

type Options = { supervisor: Supervisor; progress: Progress; dataDir: string; env: NodeJS.ProcessEnv }

/** Launches everything the demo consists of, seeds it and sends one event through. @returns what to tell the user */
export async function launchDemo({ supervisor, progress, dataDir, env: given }: Options): Promise<string> {
  const example = await readFile(path.join(ROOT, '.env.example'), 'utf8')
  const env = settings.readFileSettings(given, [...settings.settingNames(example), 'TEMPORAL_API_KEY'])
  const at = (name: string) => path.join(dataDir, name)
  const logDir = at('logs')
  await mkdir(logDir, { recursive: true, mode: 0o700 })
  const { SECRETS_KEYS, DATABASE_PASSWORD: password } = await keepSecrets(at('secrets.env'))
  const ports = await settings.choosePorts(env, { isElsewhere: dataDir !== DATA_DIR })
  const servers = { supervisor, dir: dataDir, logDir, env, isDurable: true }
  const { temporal: grpc, temporalHttp: http, temporalMetrics: metrics, temporalUi: ui } = ports
  const [DATABASE_URL, temporal] = await Promise.all([
    progress.step('Database', (onUpdate) =>
      provideDatabase({ ...servers, onUpdate, name: 'sales_data', port: ports.database, password }),
    ),
    progress.step('Temporal', (onUpdate) =>
      provideTemporal({ ...servers, onUpdate, ports: { grpc, http, metrics, ui } }),
    ),
  ])
  const temporalUi = temporal.launched && `http://127.0.0.1:${ui}`
  const { cert: ca, certFile } = await keepCertificate(at('receiver'))
  const serviceEnv = settings.serviceEnvironment(env, ports, {
    DATABASE_URL,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_UI_URL: temporalUi,
    SECRETS_KEYS,
    WEBHOOK_CA_FILE: certFile,
  })
  const apiUrl = serviceUrls(serviceEnv).api
  // `npm run cli`, `start:api` and `start:worker` read it, so that they work on this demo for as long as it runs.
  await writePrivate(at('service.env'), settings.serviceFile(serviceEnv, example))
  supervisor.onCleanup(() => rm(at('service.env'), { force: true }))
  await progress.step('Migrate the database', (onUpdate) => cli(['migrate'], serviceEnv, onUpdate))
  await progress.step('Start api, worker and demo receiver', () =>
    startServices({ supervisor, progress, dataDir, env: serviceEnv }, logDir),
  )
  const receiver = { port: Number(serviceEnv['RECEIVER_PORT']), ca }
  const demo = await progress.step('Seed the demo company, key and webhooks', () =>
    seedDemo({ file: at('demo.json'), apiUrl, receiverPort: receiver.port, env: serviceEnv }),
  )
  const proofs = await progress.step('Send one event through', (onUpdate) =>
    proveDelivery({ apiUrl, demo, receiver, onUpdate }),
  )
  return describeDemo({ env: serviceEnv, demo, temporalUi, proofs })
}

/** Starts the receiver first, so that it stops last: a delivery under way at the stop still has its endpoint. */
async function startServices({ supervisor, progress, dataDir, env }: Options, logDir: string) {
  const printNotable = (name: string) => (line: string) => {
    const text = notableLine(line)
    if (text !== undefined) progress.print(`[${name}] ${text}`)
  }
  supervisor.start({
    name: 'receiver',
    command: process.execPath,
    args: ['scripts/receiver/main.ts', path.join(dataDir, 'receiver')],
    // As in the image.
    env: { MALLOC_ARENA_MAX: '2', ...env },
    cwd: ROOT,
    logFile: path.join(logDir, 'receiver.log'),
    onLine: printNotable('receiver'),
  })
  await Promise.all([
    startService(supervisor, { env, logDir, kind: 'server', onLine: printNotable('api') }),
    startService(supervisor, { env, logDir, kind: 'worker', onLine: printNotable('worker') }),
  ])
}

/** Picks what the terminal shows of a process: warnings and worse of its JSON log, and everything that is no log line. */
function notableLine(line: string): string | undefined {
  if (line.trim() === '') return undefined
  try {
    const entry = JSON.parse(line) as { level: string; msg?: string; err?: { message?: string } }
    if (!/^(warn|error|fatal)$/.test(entry.level)) return undefined
    return [entry.level.toUpperCase(), entry.msg, entry.err?.message].filter(Boolean).join(' ')
  } catch {
    return line
  }
}

/** `env`: of the service; `temporalUi`: its base URL, undefined for a server that was not launched here. */
type Outcome = {
  readonly env: NodeJS.ProcessEnv
  readonly demo: Pick<Demo, 'key' | 'user'>
  readonly temporalUi: string | undefined
  readonly proofs: readonly Proof[]
}

/** What a start tells its user: where everything is and what was proven. */
export function describeDemo({ env, demo: { key, user }, temporalUi, proofs }: Outcome): string {
  const { api, worker } = serviceUrls(env)
  const lines = [
    '',
    'Proof of delivery: one contact was created, its contact.created event went to both demo webhooks',
    ...proofs.flatMap(({ path, deliveryId, attempts, statuses, isVerified }) => [
      `  ${path}: success at attempt ${attempts} (answered ${statuses.join(', ')}); ` +
        `signature ${isVerified ? 'verified by the receiver' : 'NOT VERIFIED'}`,
      temporalUi === undefined
        ? `    delivery ${deliveryId}`
        : `    ${temporalUi}/namespaces/${env['TEMPORAL_NAMESPACE']}/workflows/${deliveryId}`,
    ]),
    '',
    `Console       ${api}/console/ (sign in as ${user.email} with the password ${user.password})`,
    `API           ${api}`,
    `Worker        ${worker} (health and metrics)`,
    ...(temporalUi === undefined ? [] : [`Temporal UI   ${temporalUi}`]),
    `Receiver      https://127.0.0.1:${env['RECEIVER_PORT']} (verifies the signatures of all webhooks that lead to it)`,
    ...FIXED_PATHS.map(({ path, says }) => `  ${path.padEnd(12)}  ${says}`),
    `  ${'other paths'.padEnd(12)}  answer 200`,
    `Retries       ${describeSchedule(env['WEBHOOK_RETRY_SCHEDULE'])}`,
    `Demo key      ${key}`,
    '',
    `Try           curl -H 'Authorization: Bearer ${key}' ${api}/api-v1-webhooks`,
    '',
  ]
  return lines.join('\n')
}

function describeSchedule(schedule = ''): string {
  const delays = `after ${schedule.split(',').join(', ')}`
  return schedule === settings.DEMO_RETRY_SCHEDULE ? `${delays} (the default schedule takes days)` : delays
}
