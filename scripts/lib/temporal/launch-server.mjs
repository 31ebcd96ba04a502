import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { freePorts } from '../ports.mjs'
import { ROOT } from '../paths.mjs'
import { httpAnswers, waitUntil } from '../ready.mjs'

const HOST = '127.0.0.1'
const SERVICES = ['frontend', 'history', 'matching', 'worker']

/** More than one, as in production, so that workflows are spread over several. */
const SHARDS = 4

/**
 * Launches Temporal's server on loopback as production has it: by a file of settings, with the dynamic configuration of deploy/,
 * without a namespace and without search attributes. Workers register those. Its store is SQLite, and it has no UI.
 *
 * @param {object} options
 * @param {import('../supervisor.mjs').Supervisor} options.supervisor
 * @param {string} options.executable
 * @param {string} options.dir for the settings and the store
 * @param {string} options.logFile
 * @param {NodeJS.ProcessEnv} options.env
 * @returns {Promise<{ address: string, answers: () => Promise<boolean> }>} address: host:port; answers: whether it still reads
 *   its store
 */
export async function launchServer({ supervisor, executable, dir, logFile, env }) {
  const [http, ...ports] = await freePorts([0, ...SERVICES.flatMap(() => [0, 0])])
  const settings = path.join(dir, 'temporal-server.yaml')
  // YAML is a superset of JSON.
  await writeFile(
    settings,
    JSON.stringify(settingsOf({ http, ports, store: path.join(dir, 'temporal-server.db') })),
  )
  supervisor.start({
    name: 'temporal-server',
    command: executable,
    args: ['--config-file', settings, '--allow-no-auth', 'start'],
    graceMs: 15_000,
    logFile,
    env,
  })
  // The namespace of the server's own.
  const answers = () => httpAnswers(`http://${HOST}:${http}/api/v1/namespaces/temporal-system`)
  await waitUntil('Temporal', answers)
  return { address: `${HOST}:${ports[0]}`, answers }
}

/** @param {{ http: number, ports: readonly number[], store: string }} options ports: two for each service */
function settingsOf({ http, ports, store }) {
  const rpc = (/** @type {number} */ at) => ({
    grpcPort: ports[2 * at],
    membershipPort: ports[2 * at + 1],
    bindOnIP: HOST,
    ...(at === 0 && { httpPort: http }),
  })
  const [address, httpAddress] = [ports[0], http].map((port) => `${HOST}:${port}`)
  const sql = {
    pluginName: 'sqlite',
    databaseName: store,
    connectAddr: 'localhost',
    connectProtocol: 'tcp',
    // It makes the file and its tables. A commit may be lost when the machine dies.
    connectAttributes: {
      mode: 'rwc',
      cache: 'private',
      setup: 'true',
      journal_mode: 'wal',
      synchronous: '0',
    },
    maxConns: 1,
    maxIdleConns: 1,
    maxConnLifetime: '1h',
  }
  const cluster = {
    enabled: true,
    initialFailoverVersion: 1,
    rpcName: 'frontend',
    rpcAddress: address,
    httpAddress,
  }
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'store',
      visibilityStore: 'store',
      numHistoryShards: SHARDS,
      datastores: { store: { sql } },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: HOST } },
    services: Object.fromEntries(SERVICES.map((name, at) => [name, { rpc: rpc(at) }])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: { active: cluster },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: {
      filepath: path.join(ROOT, 'deploy', 'temporal', 'dynamic-config.yaml'),
      pollInterval: '60s',
    },
  }
}
