import path from 'node:path'
import { findOnPath, lastLines, run } from '../commands.mjs'
import { findFirst } from '../find.mjs'
import { ROOT } from '../paths.mjs'
import { isAtLeast } from '../versions.mjs'
import { fetchOnce, inCache } from './fetch.mjs'

/**
 * @typedef {{ kind: 'address', address: string } | { kind: 'cli' | 'server', executable: string, version: string }} FoundTemporal
 *   cli: the command line with its development server; server: the bare one, which launch-server.mjs configures
 * @typedef {import('../find.mjs').Way<FoundTemporal>} TemporalWay
 */

/** The workflows rely on what servers do since this version (eager starts, activity time-outs on retries). */
const LEAST_SERVER = '1.29'

/** The newest tag that `go install …@version` builds: later ones carry a replace line, which it refuses. Its server is 1.29.1. */
const CLI_TAG = 'v1.5.1'

/** The server of today, for configuration B of the tests. The bare server still builds that way. */
const SERVER_VERSION = '1.32.1'
const SERVER = `temporal-server-${SERVER_VERSION}`

/** @type {TemporalWay} a server that is already there */
export async function fromAddress({ env }) {
  const address = env.TEMPORAL_ADDRESS
  return address ? { found: { kind: 'address', address } } : { missing: 'TEMPORAL_ADDRESS is not set' }
}

/** @type {TemporalWay} the `temporal` command on PATH, when the server inside is new enough */
export const fromPath = (context) => fromPathSince(context, LEAST_SERVER)

/** @param {import('../find.mjs').Context} context @param {string} least the oldest server that will do */
async function fromPathSince({ env }, least) {
  const executable = findOnPath('temporal', env)
  return executable === undefined
    ? { missing: 'there is no temporal on PATH' }
    : inspect(executable, env, least)
}

/** @type {TemporalWay} one that an earlier run downloaded or built */
export const fromCache = ({ env }) => inCache(env, 'temporal', (executable) => inspect(executable, env))

/** @type {TemporalWay} the SDK's own download, kept in the cache; works once packages are installed */
export async function fromSdkDownload(context) {
  const { env, nodePath, onUpdate } = context
  return fetchOnce(context, 'temporal', {
    look: fromCache,
    fetch: async (dir) => {
      onUpdate('downloading the Temporal command line')
      const script = path.join(ROOT, 'scripts', 'lib', 'temporal', 'download.mjs')
      const { code, output } = await run(nodePath, [script, dir, CLI_TAG], { env, timeoutMs: 180_000 })
      return code === 0 ? undefined : `the SDK could not download it (${lastLines(output, 1)})`
    },
  })
}

/** @type {TemporalWay} built from source by Go, kept in the cache; takes about 3 minutes on 2 cores, once */
export const fromGo = (context) =>
  build(context, {
    name: 'temporal',
    look: fromCache,
    minutes: 3,
    module: `github.com/temporalio/cli/cmd/temporal@${CLI_TAG}`,
  })

/** @type {TemporalWay} the bare server that an earlier run built */
const fromServerCache = ({ env }) =>
  inCache(env, SERVER, (executable) => inspect(executable, env, SERVER_VERSION))

/** @type {TemporalWay} the bare server of today, built from source by Go, kept in the cache; about 4 minutes on 2 cores, once */
export const fromServerGo = (context) =>
  build(context, {
    name: SERVER,
    look: fromServerCache,
    minutes: 4,
    module: `go.temporal.io/server/cmd/server@v${SERVER_VERSION}`,
  })

/**
 * Builds a program into the cache. It gives way to everything else on the machine, such as tests that run meanwhile.
 *
 * @param {import('../find.mjs').Context} context
 * @param {{ name: string, look: TemporalWay, minutes: number, module: string }} program minutes: how long that takes on 2 cores
 * @returns {ReturnType<TemporalWay>}
 */
async function build(context, { name, look, minutes, module }) {
  const { env, onUpdate } = context
  const go = findOnPath('go', env, ['/usr/local/go/bin'])
  if (go === undefined) return { missing: 'there is no go to build it with' }
  const nice = findOnPath('nice', env)
  const [command, ...before] = nice === undefined ? [go] : [nice, '-n', '10', go]
  let packages = 0
  const onLine = () =>
    onUpdate(`building Temporal with go, about ${minutes} minutes, once: ${++packages} packages compiled`)
  return fetchOnce(context, name, {
    look,
    fetch: async (dir) => {
      const args = [...before, 'install', '-v', module]
      const { code, output } = await run(command, args, { env: { ...env, GOBIN: dir }, onLine })
      return code === 0 ? undefined : `go could not build it (${lastLines(output, 3)})`
    },
  })
}

/**
 * @param {string} executable
 * @param {NodeJS.ProcessEnv} env
 * @param {string} [least] the oldest server that will do
 * @returns {ReturnType<TemporalWay>}
 */
async function inspect(executable, env, least = LEAST_SERVER) {
  const { output } = await run(executable, ['--version'], { env, timeoutMs: 20_000 })
  const inside = /Server (\d+(?:\.\d+)+)/.exec(output)?.[1]
  // The bare server tells its own version alone.
  const version = inside ?? /^temporal version (\d+(?:\.\d+)+)$/m.exec(output)?.[1]
  if (version === undefined) return { missing: `${executable} does not tell its server version` }
  if (!isAtLeast(version, least)) {
    return { missing: `${executable} has server ${version}, too old: ${least} is the oldest that works` }
  }
  return { found: { kind: inside === undefined ? 'server' : 'cli', executable, version } }
}

const ADDRESS = 'set TEMPORAL_ADDRESS=host:7233'

/**
 * Finds a Temporal server to use or to launch.
 *
 * @param {import('../find.mjs').Context} context
 * @returns {Promise<FoundTemporal>}
 * @throws {Error} naming the choices
 */
export const findTemporal = (context) =>
  findFirst([fromAddress, fromPath, fromCache, fromSdkDownload, fromGo], context, {
    what: 'Temporal server',
    choices: [
      `${ADDRESS} (server >= ${LEAST_SERVER})`,
      'install the Temporal command line so that temporal is on PATH (https://docs.temporal.io/cli#install)',
      'install Go >= 1.25; it is then built once into ~/.cache/sales-data-webhooks',
    ],
  })

/**
 * Finds the Temporal server of today, for configuration B of the tests.
 *
 * @param {import('../find.mjs').Context} context
 * @returns {Promise<FoundTemporal>}
 * @throws {Error} naming the choices
 */
export const findTodaysTemporal = (context) =>
  findFirst([fromAddress, (c) => fromPathSince(c, SERVER_VERSION), fromServerCache, fromServerGo], context, {
    what: `Temporal server ${SERVER_VERSION}`,
    choices: [
      ADDRESS,
      `install a Temporal command line with server >= ${SERVER_VERSION} so that temporal is on PATH`,
      'install Go >= 1.26; the server is then built once into ~/.cache/sales-data-webhooks',
    ],
  })
