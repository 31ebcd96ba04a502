import { freePorts } from '../lib/ports.ts'

/** Used where free, for the data of the checkout. Where one is taken, by another checkout for example, freePorts picks a later one. */
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

/** Ports that the user may fix. A fixed port that is taken makes its process fail and say so. */
const FIXED_BY = new Map([
  ['api', 'PORT'],
  ['worker', 'WORKER_PORT'],
  ['receiver', 'RECEIVER_PORT'],
])

/** Short, so that one can watch a failing endpoint recover; the product's own schedule spans days. */
export const DEMO_RETRY_SCHEDULE = '1s,2s,10s,1m,10m'

/**
 * Chooses the port of each process: the user's, else the preferred one or the next that is free. Starts with data elsewhere may begin
 * side by side, and a server is launched seconds after its port was found free: each of them takes ports of its own from a wide range.
 *
 * @param options isElsewhere: whether the data is kept in another directory than that of the checkout
 */
export async function choosePorts(env: NodeJS.ProcessEnv, { isElsewhere = false } = {}): Promise<Ports> {
  const ports: Ports = { ...PREFERRED }
  const names = Object.keys(PREFERRED) as (keyof Ports)[]
  for (const name of names) ports[name] = Number(env[FIXED_BY.get(name) ?? '']) || 0
  const open = names.filter((name) => ports[name] === 0)
  const free = await freePorts(open.map((name) => (isElsewhere ? 0 : PREFERRED[name])))
  for (const [index, name] of open.entries()) ports[name] = free[index]!
  return ports
}

type Parts = {
  readonly ports: Ports
  readonly databaseUrl: string
  readonly temporalAddress: string
  /** Base URL; undefined for a server that was not launched here. */
  readonly temporalUi?: string | undefined
  readonly secretsKeys: string
  readonly caFile: string
}

/** The environment of api, worker and command line. What the user set wins. */
export function serviceEnvironment(env: NodeJS.ProcessEnv, parts: Parts): NodeJS.ProcessEnv {
  const { ports, databaseUrl, temporalAddress, temporalUi, secretsKeys, caFile } = parts
  const defaults = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: 'default',
    ...(temporalUi !== undefined && { TEMPORAL_UI_URL: temporalUi }),
    PORT: `${ports.api}`,
    WORKER_PORT: `${ports.worker}`,
    RECEIVER_PORT: `${ports.receiver}`,
    SECRETS_KEYS: secretsKeys,
    WEBHOOK_RETRY_SCHEDULE: DEMO_RETRY_SCHEDULE,
    // Nothing on this machine but the demo's receiver.
    WEBHOOK_ALLOWED_NETWORKS: `127.0.0.1/32:${ports.receiver}`,
    WEBHOOK_CA_FILE: caFile,
  }
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  return { ...defaults, ...set }
}

/** Whatever follows this heading in .env.example is for docker compose; no process of ours reads it. */
const COMPOSE_ONLY = '# --- docker compose only'

/**
 * Names of the settings of the service, as .env.example lists them (test/docs checks that it lists every one).
 *
 * @param example the text of .env.example
 */
export const settingNames = (example: string): string[] =>
  [...example.split(COMPOSE_ONLY, 1)[0]!.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name)

/**
 * The content of an env file with every setting that the demo's processes run with, so that a further process works
 * beside them. It has the settings of .env.example and the rest of Temporal's standard client settings.
 *
 * @param serviceEnv from serviceEnvironment
 * @param example the text of .env.example
 */
export function serviceFile(serviceEnv: NodeJS.ProcessEnv, example: string): string {
  const ofTemporal = Object.keys(serviceEnv).filter((name) => name.startsWith('TEMPORAL_'))
  return [...new Set([...settingNames(example), ...ofTemporal])]
    .map((name) => [name, serviceEnv[name]] as const)
    .map(([name, value]) => (value === undefined ? '' : `${name}=${quote(name, value)}\n`))
    .join('')
}

/**
 * Quotes a value for Node's parser of env files, which keeps everything between the quotes, line breaks too.
 *
 * @throws Error when the value holds every kind of quote
 */
function quote(name: string, value: string): string {
  const mark = ["'", '`'].find((candidate) => !value.includes(candidate))
  if (mark === undefined) throw new Error(`${name} may not hold both ' and \``)
  return `${mark}${value}${mark}`
}
