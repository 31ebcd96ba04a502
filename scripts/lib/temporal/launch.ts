import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from '../paths.mjs'
import { freePorts } from '../ports.ts'
import { httpAnswers, waitUntil } from '../ready.ts'
import type { ServerOptions } from '../supervisor.ts'

const HOST = '127.0.0.1'

/** The attributes to search workflows by. The worker registers them too, for servers that were not launched here. */
export const SEARCH_ATTRIBUTES = ['WebhookId', 'CompanyId', 'EventType', 'EventId', 'Environment']

/** The same as in deploy/temporal/dynamic-config.yaml. */
export const DYNAMIC_CONFIG = {
  // Off by default before server 1.32; saves a round trip for each activity.
  'system.enableActivityEagerExecution': true,
  // By default a timer of less than a second waits a full second (docs/decisions, Delays under 1 s).
  'history.timerProcessorMaxTimeShift': '50ms',
}

export type LaunchOptions = ServerOptions & {
  readonly executable: string
  /** Of a development server; free ones and no UI by default. */
  readonly ports?: Record<'grpc' | 'http' | 'metrics', number> & { readonly ui?: number }
}

/** Launches Temporal's development server on loopback and waits until its default namespace answers. */
export async function launchTemporal(options: LaunchOptions) {
  const { supervisor, executable, dir, isDurable, logFile, env } = options
  const [grpc = 0, http = 0, metrics = 0] = await freePorts([0, 0, 0])
  const ports: LaunchOptions['ports'] = options.ports ?? { grpc, http, metrics }
  const store = path.join(dir, 'temporal.db')
  const args = ['server', 'start-dev', '--ip', HOST, '--log-level', 'warn', '--db-filename', store]
  // Without these options the server derives the last three ports or picks them at random, and two servers may collide.
  args.push('--port', `${ports.grpc}`, '--http-port', `${ports.http}`, '--metrics-port', `${ports.metrics}`)
  args.push(...(ports.ui === undefined ? ['--headless'] : ['--ui-port', `${ports.ui}`]))
  for (const name of SEARCH_ATTRIBUTES) args.push('--search-attribute', `${name}=Keyword`)
  for (const [name, value] of Object.entries(DYNAMIC_CONFIG))
    args.push('--dynamic-config-value', `${name}=${JSON.stringify(value)}`)
  const pragmas = isDurable ? ['journal_mode=WAL'] : ['synchronous=OFF', 'journal_mode=WAL']
  for (const pragma of pragmas) args.push('--sqlite-pragma', pragma)
  // Go collects once its heap has grown fivefold, not twofold: the server of a test run computes 8 % less.
  const command = { command: executable, args, env: isDurable ? env : { GOGC: '400', ...env } }
  supervisor.start({ name: 'temporal', logFile, ...command })
  return untilItAnswers(ports, 'default')
}

/** @returns address: host:port; answers: whether it still reads its store */
async function untilItAnswers({ grpc, http }: { grpc: number; http: number }, namespace: string) {
  const answers = () => httpAnswers(`http://${HOST}:${http}/api/v1/namespaces/${namespace}`)
  await waitUntil('Temporal', answers)
  return { address: `${HOST}:${grpc}`, answers }
}

const SERVICES = ['frontend', 'history', 'matching', 'worker']

/**
 * Launches Temporal's server on loopback as production has it: by a file of settings, with the dynamic configuration of deploy/,
 * without our namespace and search attributes, which workers register. Its store is SQLite, and it has no UI.
 */
export async function launchServer(options: LaunchOptions) {
  const { supervisor, executable, dir, logFile, env } = options
  const [http = 0, grpc = 0, ...others] = await freePorts([0, ...SERVICES.flatMap(() => [0, 0])])
  const settings = path.join(dir, 'temporal-server.yaml')
  const store = path.join(dir, 'temporal-server.db')
  // YAML is a superset of JSON.
  await writeFile(settings, JSON.stringify(settingsOf({ http, ports: [grpc, ...others], store })))
  const command = { command: executable, args: ['--config-file', settings, '--allow-no-auth', 'start'], env }
  supervisor.start({ name: 'temporal-server', logFile, ...command })
  // The server's own namespace.
  return untilItAnswers({ grpc, http }, 'temporal-system')
}

/** @param options ports: two for each service */
function settingsOf({ http, ports, store }: { http: number; ports: readonly number[]; store: string }) {
  const rpc = (at: number) => ({
    grpcPort: ports[2 * at],
    membershipPort: ports[2 * at + 1],
    bindOnIP: HOST,
    ...(at === 0 && { httpPort: http }),
  })
  const sql = {
    pluginName: 'sqlite',
    databaseName: store,
    connectAddr: 'localhost',
    connectProtocol: 'tcp',
    // `mode` and `setup` make the file and its tables. A commit may be lost when the machine dies.
    connectAttributes: { mode: 'rwc', setup: 'true', journal_mode: 'wal', synchronous: '0' },
    maxConns: 1,
  }
  const [rpcAddress, httpAddress] = [ports[0], http].map((port) => `${HOST}:${port}`)
  const active = { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress, httpAddress }
  const stores = { defaultStore: 'store', visibilityStore: 'store', datastores: { store: { sql } } }
  const dynamicConfig = path.join(ROOT, 'deploy', 'temporal', 'dynamic-config.yaml')
  return {
    log: { level: 'warn' },
    // More than one shard, as in production, so that workflows are spread over several.
    persistence: { ...stores, numHistoryShards: 4 },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: HOST } },
    services: Object.fromEntries(SERVICES.map((name, at) => [name, { rpc: rpc(at) }])),
    clusterMetadata: {
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: { active },
    },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: '60s' },
  }
}
