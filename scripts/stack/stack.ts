import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Service, Supervisor } from '../lib/supervisor.ts'
import { keepCertificate } from '../receiver/certificate.ts'
import { cli } from './company.ts'
import { provideDatabase, provideTemporal } from './servers.ts'
import { startService, type ServiceKind } from './services.ts'

/**
 * Launches the servers of a service on loopback, durable as in production: for the benchmarks and the soak. Database and
 * Temporal have their files in `dir`. Api and workers are the caller's to start.
 */
export async function startStack(
  supervisor: Supervisor,
  { dir, settings = {} }: { dir: string; settings?: NodeJS.ProcessEnv },
) {
  const tls = await keepCertificate(dir)
  const [database, { address, launched: temporal }] = await Promise.all([
    startDatabase(supervisor, dir),
    provideTemporal({ supervisor, dir, env: ownEnvironment(), isDurable: true }),
  ])
  if (temporal === undefined) throw new Error('no address was given')
  const env: NodeJS.ProcessEnv = {
    ...database,
    TEMPORAL_ADDRESS: address,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    WEBHOOK_CA_FILE: tls.certFile,
    ...settings,
  }
  return {
    /** What its processes are started with. */
    env,
    /** What the endpoints show and the workers trust. */
    tls,
    temporal,
    /** Starts an api or a worker, with more settings than those of all. */
    start: (kind: ServiceKind, more: NodeJS.ProcessEnv = {}, options: { name?: string } = {}) =>
      startService(supervisor, { kind, env: { ...env, ...more }, logDir: dir, ...options }),
  }
}

/** Launches and migrates a database. @returns what the command line and the services on it are started with */
export async function startDatabase(supervisor: Supervisor, dir: string): Promise<NodeJS.ProcessEnv> {
  const server = { supervisor, dir, env: ownEnvironment(), isDurable: true }
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: await provideDatabase({ ...server, name: 'bench' }),
    SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    RATE_LIMIT_PER_MINUTE: '100000000',
    COMPANY_RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'warn',
  }
  await cli(['migrate'], env)
  return env
}

/** Ours without the servers that it names: they serve others too. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, TEMPORAL_ADDRESS: _temporal, ...env } = process.env
  return env
}

/** A supervisor that tells what it starts, so that it can be measured, killed or started again. */
export const watchStarts = (
  supervisor: Supervisor,
  onStart: (service: Service, pid: number) => void,
): Supervisor => ({
  ...supervisor,
  start(service) {
    const pid = supervisor.start(service)
    onStart(service, pid)
    return pid
  },
})

/** Makes a directory that goes when everything has ended. @param options isKept: not when that was with exit code 1 */
export async function makeDirectory(
  supervisor: Pick<Supervisor, 'onCleanup'>,
  name: string,
  { isKept = false } = {},
): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), `${name}-`))
  supervisor.onCleanup(async (code) => {
    if (isKept && code === 1) console.error(`The logs and data are kept in ${dir}`)
    else await rm(dir, { recursive: true, force: true })
  })
  return dir
}
