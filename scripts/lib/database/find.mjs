import { installWithApt } from '../apt.mjs'
import { findOnPath, run } from '../commands.mjs'
import { findFirst } from '../find.mjs'
import { databaseGreeting } from '../ready.mjs'
import { fromDebian, fromMysqlCache } from './debian-mysql.mjs'
import { parseDatabaseVersion } from './version.mjs'

/**
 * @typedef {{ kind: 'url', url: string } | { kind: 'mysql' | 'mariadb', executable: string, version: string }
 *   | { kind: 'docker', executable: string }} FoundDatabase
 * @typedef {import('../find.mjs').Way<FoundDatabase>} DatabaseWay
 */

/** On most systems servers lie outside a normal user's PATH. */
const SERVER_DIRS = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/libexec',
  '/opt/homebrew/bin',
  '/usr/local/mysql/bin',
]

/** @type {DatabaseWay} a server that is already there */
export async function fromUrl({ env }) {
  return env.DATABASE_URL
    ? { found: { kind: 'url', url: env.DATABASE_URL } }
    : { missing: 'DATABASE_URL is not set' }
}

/** @typedef {'mariadb' | 'mysql'} ServerKind */

/**
 * A server program on this machine.
 *
 * @type {(context: import('../find.mjs').Context, dirs?: readonly string[], kinds?: readonly ServerKind[]) => ReturnType<DatabaseWay>}
 */
export async function fromInstalled({ env }, dirs = SERVER_DIRS, kinds = ['mariadb', 'mysql']) {
  const reasons = []
  for (const name of ['mariadbd', 'mysqld']) {
    const executable = findOnPath(name, env, dirs)
    if (executable === undefined) continue
    const { output } = await run(executable, ['--no-defaults', '--version'], { env })
    const server = parseDatabaseVersion(output)
    if (server && !kinds.includes(server.kind)) {
      reasons.push(`${executable} is ${server.kind} ${server.version}`)
      continue
    }
    if (server?.isSupported) return { found: { kind: server.kind, executable, version: server.version } }
    reasons.push(
      server
        ? `${executable} is ${server.kind} ${server.version}, too old: ${server.least} is the oldest that works`
        : `${executable} does not tell its version`,
    )
  }
  return { missing: reasons.join('; ') || 'neither mariadbd nor mysqld is on PATH or in /usr/sbin' }
}

/** @type {DatabaseWay} Debian and Ubuntu, as root: the bare server from the system's packages, without its service */
export async function fromApt(context) {
  const missing = await installWithApt(context, 'a server', [['mariadb-server-core', 'mariadb-client-core']])
  return missing === undefined ? fromInstalled(context) : { missing }
}

/** @type {DatabaseWay} a container, when an engine answers */
export async function fromDocker({ env }) {
  const executable = findOnPath('docker', env)
  if (executable === undefined) return { missing: 'there is no docker' }
  const { code } = await run(executable, ['version', '--format', '{{.Server.Version}}'], {
    env,
    timeoutMs: 10_000,
  })
  return code === 0
    ? { found: { kind: 'docker', executable } }
    : { missing: 'docker is there but no engine answers' }
}

/**
 * Finds a database to use or to launch.
 *
 * @param {import('../find.mjs').Context} context
 * @returns {Promise<FoundDatabase>}
 * @throws {Error} naming the choices
 */
export const findDatabase = (context) =>
  findFirst([fromUrl, (c) => fromInstalled(c), fromApt, fromDocker], context, {
    what: 'database server',
    choices: [
      'set DATABASE_URL=mysql://user:password@host:3306/database (MySQL >= 8.0.17 or MariaDB >= 10.6)',
      'install MariaDB or MySQL so that mariadbd or mysqld is on PATH (Debian: apt-get install mariadb-server-core mariadb-client-core; macOS: brew install mariadb)',
      'start Docker',
    ],
  })

/** @type {DatabaseWay} the running server that TEST_DATABASE_URL names, when it is MySQL */
async function fromTestUrl({ env }) {
  const url = env.TEST_DATABASE_URL
  if (!url) return { missing: 'TEST_DATABASE_URL is not set' }
  const { hostname, port } = new URL(url)
  const greeting = await databaseGreeting(hostname, Number(port || 3306))
  if (greeting === undefined) return { missing: 'the server that TEST_DATABASE_URL names does not answer' }
  return greeting.includes('MariaDB')
    ? { missing: 'the server that TEST_DATABASE_URL names is MariaDB' }
    : { found: { kind: 'url', url } }
}

/**
 * Finds a real MySQL for tests: running, installed, or fetched from Debian. Never MariaDB, and never a container.
 *
 * @param {import('../find.mjs').Context} context
 * @returns {Promise<FoundDatabase>}
 * @throws {Error} naming the choices
 */
export const findMysql = (context) =>
  findFirst(
    [fromTestUrl, (c) => fromInstalled(c, SERVER_DIRS, ['mysql']), fromMysqlCache, fromDebian],
    context,
    {
      what: 'MySQL server',
      choices: [
        'set TEST_DATABASE_URL=mysql://administrator:password@host:3306/mysql (MySQL >= 8.0.17; tests create and drop databases there)',
        'install MySQL so that mysqld is on PATH or in /usr/sbin',
        'run on Debian with network: MySQL is then fetched from its unstable release into ~/.cache/sales-data-webhooks, once, and nothing is installed',
      ],
    },
  )
