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
 * Launches database and Temporal on loopback for the benchmarks and the soak, as durable as in production. Their files
 * are in `dir`. The caller starts apis and workers.
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
  if (temporal === undefined) throw new Error('Temporal was not launched')
  const env: NodeJS.ProcessEnv = {
    ...database,
    TEMPORAL_ADDRESS: address,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    WEBHOOK_CA_FILE: tls.certFile,
    ...settings,
  }
  return {
    /** The environment of the api and the workers. */
    env,
    /** The certificate that endpoints present and workers trust. */
    tls,
    temporal,
    /** Starts an api or a worker. `more`: settings for this process alone. */
    start: (kind: ServiceKind, more: NodeJS.ProcessEnv = {}, options: { name?: string } = {}) =>
      startService(supervisor, { kind, env: { ...env, ...more }, logDir: dir, ...options }),
  }
}

/** Launches and migrates a database. @returns the environment of processes that use it */
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

/** Our environment, without the database and the Temporal that it may name, which are the user's own. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, TEMPORAL_ADDRESS: _temporal, ...env } = process.env
  return env
}

/** Reports each service that the supervisor starts, with its process id, to `onStart`. */
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

/** Makes a temporary directory, and removes it at the end. @param options isKept: whether it stays after exit code 1 */
export async function makeDirectory(supervisor: Supervisor, name: string, { isKept = false } = {}) {
  const dir = await mkdtemp(path.join(tmpdir(), `${name}-`))
  supervisor.onCleanup(async (code) => {
    if (isKept && code === 1) console.error(`The logs and data are kept in ${dir}`)
    else await rm(dir, { recursive: true, force: true })
  })
  return dir
}
