import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { lastLines, run } from '../commands.ts'
import { findOnPath } from '../find.ts'
import { writePrivate } from '../private-files.ts'
import { databaseGreets, waitUntil } from '../ready.ts'
import type { ServerOptions } from '../supervisor.ts'
import type { FoundDatabase, ServerKind } from './find.ts'

/** `dir`: each kind of server has a data directory of its own in it. */
export type LaunchOptions = ServerOptions & {
  readonly found: Exclude<FoundDatabase, { kind: 'url' }>
  readonly port: number
  /** Of the one account, `root`, which can log in from this machine only. */
  readonly password: string
  /** More of the server's command line; not for a container. */
  readonly flags?: readonly string[]
}

/** Launches a private database server on loopback and waits until it takes logins. @returns its URL, without a database */
export async function launchDatabase(options: LaunchOptions): Promise<string> {
  const { supervisor, found, dir, port, password, logFile, env } = options
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const isDocker = found.kind === 'docker'
  const args = isDocker ? await dockerArguments(options) : await serverArguments(options, found.kind)
  // In a container the password goes into the environment, not onto the command line.
  const own = { ...env, ...(isDocker && { MYSQL_ROOT_PASSWORD: password }) }
  supervisor.start({ name: 'database', command: found.executable, args, env: own, logFile })
  const timeoutMs = isDocker ? 300_000 : 60_000
  await waitUntil('The database', () => databaseGreets('127.0.0.1', port), { timeoutMs })
  return `mysql://root:${password}@127.0.0.1:${port}/`
}

/** Both servers refuse to run as root without this. */
const AS_USER = process.getuid?.() === 0 ? ['--user=root'] : []

/** How a data directory is made: root has no password until the first start runs the init file, before the server listens. */
const MAKE_DATA = {
  mariadb: ['--auth-root-authentication-method=normal', '--skip-test-db'],
  mysql: ['--initialize-insecure'],
}

/**
 * Options that one kind alone has. MariaDB: Aria keeps the server's own tables and temporary ones; by default its cache is as
 * large as that of our tables. MySQL: no X protocol (it would take port 33060), no binary log, and no import directory (Debian's
 * default one may not exist, and mysqld then aborts).
 */
const FLAGS = {
  mariadb: ['--skip-name-resolve', '--aria-pagecache-buffer-size=8M'],
  mysql: ['--mysqlx=OFF', '--skip-log-bin', '--performance-schema=OFF', '--secure-file-priv=NULL'],
}

async function serverArguments(options: LaunchOptions, kind: ServerKind) {
  const { found, dir, env, port, flags = [] } = options
  // A server removes all temporary tables in this directory when it starts, so two servers must not share one.
  const temporaryDir = path.join(dir, 'tmp')
  await mkdir(temporaryDir, { recursive: true, mode: 0o700 })
  const dataDir = path.join(dir, kind)
  if (!existsSync(dataDir)) await makeData(kind, found.executable, dataDir, { ...env, TMPDIR: temporaryDir })
  return [
    '--no-defaults',
    ...AS_USER,
    `--datadir=${dataDir}`,
    '--socket=server.sock', // relative to the data directory: an absolute one may be longer than the system allows
    `--tmpdir=${temporaryDir}`,
    `--pid-file=${path.join(dir, 'server.pid')}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--init-file=${await writeInitFile(options)}`,
    ...commonFlags(options),
    ...FLAGS[kind],
    ...flags,
  ]
}

/** Makes the data directory of a server under another name and then renames it: a run that is cut short leaves nothing half made. */
async function makeData(kind: ServerKind, executable: string, dataDir: string, env: NodeJS.ProcessEnv) {
  const fresh = `${dataDir}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { recursive: true, mode: 0o700 })
  const dirs = [path.dirname(executable), '/usr/bin']
  const maker = kind === 'mysql' ? executable : findOnPath('mariadb-install-db', env, dirs)
  if (!maker) throw new Error(`mariadb-install-db is missing beside ${executable}: install it too`)
  // mariadb-install-db is a shell script that breaks on a path with spaces, so it gets a relative one.
  const target = kind === 'mysql' ? fresh : `./${path.basename(fresh)}`
  const args = ['--no-defaults', `--datadir=${target}`, ...MAKE_DATA[kind], ...AS_USER]
  const { code, output } = await run(maker, args, { env, cwd: path.dirname(fresh) })
  if (code !== 0)
    throw new Error(`The database's data directory could not be created:\n${faultLines(output)}`)
  await rename(fresh, dataDir)
}

/** mariadb-install-db ends with a page of advice; its errors come before that. */
function faultLines(output: string): string {
  const faults = output.split('\n').filter((line) => /\berror\b|fail|cannot/i.test(line))
  return lastLines([...faults, lastLines(output, 3)].join('\n'))
}

/**
 * The buffers of a server that has one service: no MyISAM tables, and transactions of some KiB. Larger transactions
 * may fill the log's buffer several times. Every kind of server knows these options.
 */
const commonFlags = ({ isDurable }: LaunchOptions) => [
  `--innodb-flush-log-at-trx-commit=${isDurable ? 1 : 0}`,
  // Tests make and drop many databases: without a file for each table that takes half the time.
  `--innodb-file-per-table=${isDurable ? 1 : 0}`,
  '--innodb-buffer-pool-size=128M',
  '--innodb-log-buffer-size=4M',
  '--key-buffer-size=64K',
  '--max-connections=300',
]

/**
 * The server runs this file at every start, before it listens: the only account that can log in over TCP gets the
 * generated password, and the others lose their empty one.
 */
async function writeInitFile({ dir, password }: LaunchOptions): Promise<string> {
  const file = path.join(dir, 'init.sql')
  const statements = ['localhost', '127.0.0.1'].flatMap((host) => [
    `CREATE USER IF NOT EXISTS 'root'@'${host}' IDENTIFIED BY '${password}'`,
    `ALTER USER 'root'@'${host}' IDENTIFIED BY '${password}'`,
    `GRANT ALL PRIVILEGES ON *.* TO 'root'@'${host}' WITH GRANT OPTION`,
  ])
  statements.push("DROP USER IF EXISTS 'root'@'::1'", "DROP USER IF EXISTS ''@'localhost'")
  await writePrivate(file, statements.map((statement) => `${statement};\n`).join(''))
  return file
}

/** The container is named after its directory, so that it replaces one that a killed start left behind. */
async function dockerArguments(options: LaunchOptions): Promise<string[]> {
  const dataDir = path.join(options.dir, 'docker')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const name = `sales-data-webhooks-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
  await run(options.found.executable, ['rm', '--force', name], { env: options.env })
  const args = ['run', '--rm', '--init', '--name', name, '--publish', `127.0.0.1:${options.port}:3306`]
  args.push('--volume', `${dataDir}:/var/lib/mysql`, '--user', `${process.getuid?.()}:${process.getgid?.()}`)
  args.push('--env', 'MYSQL_ROOT_PASSWORD', 'mysql:8.4', '--skip-log-bin', ...commonFlags(options))
  return args
}
