import { readFileSync } from 'node:fs'
import { freePorts } from '../lib/ports.ts'

/** The ports of a start on the checkout's own data. freePorts picks a later one where one is taken, for example by another checkout. */
const PREFERRED = {
  api: 3000,
  worker: 3001,
  receiver: 3002,
  database: 3310,
  temporal: 7233,
  temporalHttp: 7243,
  temporalMetrics: 7253,
  temporalUi: 8233,
}

type Ports = Record<keyof typeof PREFERRED, number>

/** Short, so that one can watch a failing endpoint recover; the product's own schedule spans days. */
export const DEMO_RETRY_SCHEDULE = '1s,2s,10s,1m,10m'

/**
 * Chooses the port of each process: the user's, else the preferred one or the next that is free. Starts with data in another
 * directory than that of the checkout (`isElsewhere`) may run side by side, and each launches its servers seconds after it found
 * their ports free. So each picks its ports from a wide range.
 */
export async function choosePorts(env: NodeJS.ProcessEnv, { isElsewhere = false } = {}): Promise<Ports> {
  const names = Object.keys(PREFERRED) as (keyof Ports)[]
  const free = await freePorts(names.map((name) => (isElsewhere ? 0 : PREFERRED[name])))
  // A fixed port that is taken makes its process fail and say so.
  const { PORT: api, WORKER_PORT: worker, RECEIVER_PORT: receiver } = env
  const fixed: { [Name in keyof Ports]?: string | undefined } = { api, worker, receiver }
  return Object.fromEntries(names.map((name, index) => [name, Number(fixed[name]) || free[index]])) as Ports
}

/** The environment of api, worker and command line. What the user set wins over `own`: the demo's servers and what it generated. */
export function serviceEnvironment(env: NodeJS.ProcessEnv, ports: Ports, own: NodeJS.ProcessEnv) {
  const defaults: NodeJS.ProcessEnv = {
    ...own,
    TEMPORAL_NAMESPACE: 'default',
    PORT: `${ports.api}`,
    WORKER_PORT: `${ports.worker}`,
    RECEIVER_PORT: `${ports.receiver}`,
    WEBHOOK_RETRY_SCHEDULE: DEMO_RETRY_SCHEDULE,
    // Nothing on this machine but the demo's receiver.
    WEBHOOK_ALLOWED_NETWORKS: `127.0.0.1/32:${ports.receiver}`,
  }
  return { ...defaults, ...Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')) }
}

/**
 * Replaces each of these settings that names a file by the content of the file, such as `PORT_FILE` by `PORT`: `npm start` itself
 * uses some.
 *
 * @throws Error when a setting comes in both forms, or its file cannot be read
 */
export function readFileSettings(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  const read = { ...env }
  for (const name of names) {
    const { [name]: value, [`${name}_FILE`]: file } = env
    if (!file) continue
    if (value) throw new Error(`${name}_FILE: set ${name} or ${name}_FILE, not both`)
    read[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    delete read[`${name}_FILE`]
  }
  return read
}

/** Whatever follows this heading in .env.example is for docker compose; no process of ours reads it. */
const COMPOSE_ONLY = '# --- docker compose only'

/** Names of the settings of the service, as the text of .env.example lists them (test/docs checks that it lists every one). */
export const settingNames = (example: string): string[] =>
  [...example.split(COMPOSE_ONLY, 1)[0]!.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name)

/**
 * The content of an env file with every setting that the demo's processes run with, so that a further process works
 * beside them. It has the settings of .env.example and the rest of Temporal's standard client settings.
 */
export function serviceFile(serviceEnv: NodeJS.ProcessEnv, example: string): string {
  const ofTemporal = Object.keys(serviceEnv).filter((name) => name.startsWith('TEMPORAL_'))
  const names = [...new Set([...settingNames(example), ...ofTemporal])]
  return names.map((name) => lineOf(name, serviceEnv[name])).join('')
}

/** Quotes the value for Node's parser of env files, which keeps everything between the quotes, line breaks too. */
function lineOf(name: string, value: string | undefined): string {
  if (value === undefined) return ''
  const mark = ["'", '`'].find((candidate) => !value.includes(candidate))
  if (mark === undefined) throw new Error(`${name} may not hold both ' and \``)
  return `${name}=${mark}${value}${mark}\n`
}
