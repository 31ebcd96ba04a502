import path from 'node:path'
import { ROOT } from '../lib/paths.mjs'
import { freePorts } from '../lib/ports.ts'
import { httpAnswers, tcpAnswers, waitUntil } from '../lib/ready.ts'
import type { Service, Supervisor } from '../lib/supervisor.ts'

/** The built programs that run all the time: dist/server.js, the api, and dist/worker.js. */
export type ServiceKind = 'server' | 'worker'

/** How a built api or worker is started in the checkout of its build. It gets a free port unless its settings name one. */
export async function commandOf(kind: ServiceKind, env: NodeJS.ProcessEnv) {
  const name: 'api' | 'worker' = kind === 'server' ? 'api' : 'worker'
  const variable = kind === 'server' ? 'PORT' : 'WORKER_PORT'
  const port = env[variable] ?? String((await freePorts([0]))[0])
  // MALLOC_ARENA_MAX as in the image.
  const own: NodeJS.ProcessEnv = { MALLOC_ARENA_MAX: '2', ...env, [variable]: port }
  const url = serviceUrls(own)[name]
  // No process here trusts the certificate of an api, so with TLS it is ready once it listens, which is after its boot.
  const listens = () => tcpAnswers(reachable(own['HOST']), Number(port))
  const isReady = url.startsWith('https:') ? listens : () => httpAnswers(`${url}/readyz`)
  return { name, command: process.execPath, args: [`dist/${kind}.js`], env: own, url, isReady }
}

/** The base URLs of an api and a worker with these settings. */
export function serviceUrls(env: NodeJS.ProcessEnv): { api: string; worker: string } {
  const scheme = env['TLS_CERT_FILE'] ? 'https' : 'http'
  return {
    api: `${scheme}://${reachable(env['HOST'])}:${env['PORT']}`,
    worker: `http://${reachable(env['WORKER_HOST'])}:${env['WORKER_PORT']}`,
  }
}

const reachable = (host = '0.0.0.0') => (host === '0.0.0.0' ? '127.0.0.1' : host)

type StartOptions = Pick<Service, 'onLine'> & {
  readonly kind: ServiceKind
  readonly env: NodeJS.ProcessEnv
  readonly logDir: string
  /** Of its log file; `api` or `worker` by default. */
  readonly name?: string
}

/** Starts an api or a worker of the build, and waits until it is ready. It ends with the supervisor. */
export async function startService(supervisor: Supervisor, { kind, env, logDir, ...rest }: StartOptions) {
  const { url, isReady, ...program } = await commandOf(kind, env)
  const service = { ...program, cwd: ROOT, ...rest }
  const pid = supervisor.start({ ...service, logFile: path.join(logDir, `${service.name}.log`) })
  await waitUntil(`The ${program.name}`, isReady)
  return {
    /** Where it answers, for example http://127.0.0.1:4000. */
    url,
    isReady,
    pid,
    stop: () => supervisor.end(pid),
  }
}
