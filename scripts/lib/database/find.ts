import { lastLines, run } from '../commands.ts'
import { installWithApt } from '../fetch.ts'
import { findFirst, findOnPath, isAtLeast, type Answer, type Context } from '../find.ts'
import { databaseGreeting } from '../ready.ts'
import { fromDebian, fromMysqlCache } from './debian-mysql.ts'

export type ServerKind = 'mariadb' | 'mysql'
export type FoundDatabase =
  | { kind: 'url'; url: string }
  | { kind: ServerKind; executable: string; version: string }
  | { kind: 'docker'; executable: string }

/** The oldest servers the service and its tests are written for. */
const LEAST = { mysql: '8.0.17', mariadb: '10.6' }

/** On most systems servers lie outside a normal user's PATH. */
const SERVER_DIRS = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/libexec',
  '/opt/homebrew/bin',
  '/usr/local/mysql/bin',
]

/** A server that is already there. */
export function fromUrl({ env }: Context): Answer<FoundDatabase> {
  const url = env['DATABASE_URL']
  return url ? { found: { kind: 'url', url } } : { missing: 'DATABASE_URL is not set' }
}

/** A server program on this machine. */
export async function fromInstalled({ env }: Context, dirs = SERVER_DIRS, kinds = ['mariadb', 'mysql']) {
  const reasons = []
  for (const name of ['mariadbd', 'mysqld']) {
    const executable = findOnPath(name, env, dirs)
    if (executable === undefined) continue
    const answer = await inspectServer(executable, env, kinds)
    if ('found' in answer) return answer
    reasons.push(answer.missing)
  }
  return { missing: reasons.join('; ') || 'neither mariadbd nor mysqld is on PATH or in /usr/sbin' }
}

/** Whether a program is a server of one of the kinds that is new enough. */
export async function inspectServer(executable: string, env: NodeJS.ProcessEnv, kinds: readonly string[]) {
  const { output } = await run(executable, ['--no-defaults', '--version'], { env, timeoutMs: 20_000 })
  const server = parseDatabaseVersion(output)
  if (server === undefined)
    return { missing: `${executable} does not tell its version (${lastLines(output, 1)})` }
  const { kind, version, isSupported } = server
  if (!kinds.includes(kind)) return { missing: `${executable} is ${kind} ${version}` }
  return isSupported
    ? { found: { kind, executable, version } }
    : { missing: `${executable} is ${kind} ${version}, too old: ${LEAST[kind]} is the oldest that works` }
}

/**
 * Reads what `mariadbd --version` or `mysqld --version` prints. Both names may be either server: Debian's mysqld is MariaDB.
 *
 * @param output such as "mysqld  Ver 8.4.3 for Linux on x86_64 (MySQL Community Server - GPL)"
 */
export function parseDatabaseVersion(output: string) {
  const version = /\bVer (\d+\.\d+\.\d+)/.exec(output)?.[1]
  if (version === undefined) return undefined
  const kind: ServerKind = /mariadb/i.test(output.replace(/^\S+/, '')) ? 'mariadb' : 'mysql'
  return { kind, version, isSupported: isAtLeast(version, LEAST[kind]) }
}

/** Debian and Ubuntu, as root: the bare server from the system's packages, without its service. */
export const fromApt = (context: Context) =>
  installWithApt(context, 'a server', [['mariadb-server-core', 'mariadb-client-core']], fromInstalled)

/** A container, when an engine answers. */
export async function fromDocker({ env }: Context): Promise<Answer<FoundDatabase>> {
  const executable = findOnPath('docker', env)
  if (executable === undefined) return { missing: 'there is no docker' }
  const ask = ['version', '--format', '{{.Server.Version}}']
  const { code } = await run(executable, ask, { env, timeoutMs: 10_000 })
  return code === 0
    ? { found: { kind: 'docker', executable } }
    : { missing: 'docker is there but no engine answers' }
}

/** Finds a database to use or to launch. */
export const findDatabase = findFirst<FoundDatabase>(
  'database server',
  [fromUrl, fromInstalled, fromApt, fromDocker],
  [
    'set DATABASE_URL=mysql://user:password@host:3306/database (MySQL >= 8.0.17 or MariaDB >= 10.6)',
    'install MariaDB or MySQL so that mariadbd or mysqld is on PATH (Debian: apt-get install mariadb-server-core mariadb-client-core; macOS: brew install mariadb)',
    'start Docker',
  ],
)

/** The running server that TEST_DATABASE_URL names, when it is MySQL. */
async function fromTestUrl({ env }: Context): Promise<Answer<FoundDatabase>> {
  const url = env['TEST_DATABASE_URL']
  if (!url) return { missing: 'TEST_DATABASE_URL is not set' }
  const { hostname, port } = new URL(url)
  const greeting = await databaseGreeting(hostname, Number(port || 3306))
  if (greeting === undefined) return { missing: 'the server that TEST_DATABASE_URL names does not answer' }
  return greeting.includes('MariaDB')
    ? { missing: 'the server that TEST_DATABASE_URL names is MariaDB' }
    : { found: { kind: 'url', url } }
}

/** Finds a real MySQL for tests: running, installed, or fetched from Debian. Never MariaDB, and never a container. */
export const findMysql = findFirst<FoundDatabase>(
  'MySQL server',
  [fromTestUrl, (context) => fromInstalled(context, SERVER_DIRS, ['mysql']), fromMysqlCache, fromDebian],
  [
    'set TEST_DATABASE_URL=mysql://administrator:password@host:3306/mysql (MySQL >= 8.0.17; tests create and drop databases there)',
    'install MySQL so that mysqld is on PATH or in /usr/sbin',
    'run on Debian with network: MySQL is then fetched from its unstable release into ~/.cache/sales-data-webhooks, once, and nothing is installed',
  ],
)
