import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { run } from '../commands.mjs'
import { databaseGreets, waitUntil } from '../ready.mjs'
import { initialiseMariadb, MARIADB_FLAGS } from './mariadb.mjs'
import { initialiseMysql, MYSQL_FLAGS } from './mysql.mjs'

/**
 * @typedef {object} LaunchOptions
 * @property {Pick<import('../supervisor.mjs').Supervisor, 'start'>} supervisor
 * @property {import('./find.mjs').FoundDatabase} found
 * @property {string} dir holds the data directory of each kind of server
 * @property {number} port
 * @property {string} password of the one account, `root`, which can log in from this machine only
 * @property {boolean} isDurable false (tests): a commit may be lost when the machine dies
 * @property {readonly string[]} [flags] more of the server's command line; not for a container
 * @property {string} logFile
 * @property {NodeJS.ProcessEnv} env
 */

/**
 * Launches a private database server on loopback and waits until it takes logins.
 *
 * @param {LaunchOptions} options
 * @returns {Promise<string>} mysql://root:…@127.0.0.1:port/ (the caller adds the database)
 */
export async function launchDatabase(options) {
  const { supervisor, found, dir, port, password, logFile, env } = options
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const { command, args, env: extraEnv } = await serverCommand(options)
  supervisor.start({
    name: 'database',
    command,
    args,
    env: { ...env, ...extraEnv },
    graceMs: 20_000,
    logFile,
  })
  const timeoutMs = found.kind === 'docker' ? 300_000 : 60_000
  await waitUntil('The database', () => databaseGreets('127.0.0.1', port), { timeoutMs })
  return `mysql://root:${password}@127.0.0.1:${port}/`
}

/**
 * @param {LaunchOptions} options
 * @returns {Promise<{ command: string, args: string[], env?: NodeJS.ProcessEnv }>}
 */
async function serverCommand(options) {
  const { found, dir, env } = options
  if (found.kind === 'url') throw new Error('A database that is already there is not launched')
  if (found.kind === 'docker') return dockerCommand(options, found.executable)
  const asUser = process.getuid?.() === 0 ? ['--user=root'] : []
  // A server that starts removes the temporary tables in its directory for them: those of another one too, if they share it.
  const temporaryDir = path.join(dir, 'tmp')
  await mkdir(temporaryDir, { recursive: true, mode: 0o700 })
  const server = {
    executable: found.executable,
    dataDir: path.join(dir, found.kind),
    asUser,
    env: { ...env, TMPDIR: temporaryDir },
  }
  await (found.kind === 'mariadb' ? initialiseMariadb(server) : initialiseMysql(server))
  const initFile = await writeInitFile(options)
  const args = [
    '--no-defaults',
    ...asUser,
    `--datadir=${server.dataDir}`,
    '--socket=server.sock', // relative to the data directory: an absolute one may be longer than the system allows
    `--tmpdir=${temporaryDir}`,
    `--pid-file=${path.join(dir, 'server.pid')}`,
    `--port=${options.port}`,
    '--bind-address=127.0.0.1',
    `--init-file=${initFile}`,
    ...commonFlags(options),
    ...(found.kind === 'mariadb' ? MARIADB_FLAGS : MYSQL_FLAGS),
    ...(options.flags ?? []),
  ]
  return { command: found.executable, args }
}

/**
 * The buffers of a server that has one service: no MyISAM tables, and transactions of some KiB. Larger ones may fill
 * the log's buffer several times.
 *
 * @param {LaunchOptions} options
 * @returns {string[]} understood by every kind of server
 */
const commonFlags = ({ isDurable }) => [
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
 *
 * @param {LaunchOptions} options
 * @returns {Promise<string>}
 */
async function writeInitFile({ dir, password }) {
  const file = path.join(dir, 'init.sql')
  const statements = ['localhost', '127.0.0.1'].flatMap((host) => [
    `CREATE USER IF NOT EXISTS 'root'@'${host}' IDENTIFIED BY '${password}'`,
    `ALTER USER 'root'@'${host}' IDENTIFIED BY '${password}'`,
    `GRANT ALL PRIVILEGES ON *.* TO 'root'@'${host}' WITH GRANT OPTION`,
  ])
  statements.push("DROP USER IF EXISTS 'root'@'::1'", "DROP USER IF EXISTS ''@'localhost'")
  await writeFile(file, statements.map((statement) => `${statement};\n`).join(''), { mode: 0o600 })
  return file
}

/**
 * The container is named after its directory, so that it replaces one that a killed start left behind. The password goes
 * into the environment, not onto the command line.
 *
 * @param {LaunchOptions} options
 * @param {string} docker
 */
async function dockerCommand(options, docker) {
  const dataDir = path.join(options.dir, 'docker')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const name = `sales-data-webhooks-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
  await run(docker, ['rm', '--force', name], { env: options.env })
  const args = ['run', '--rm', '--init', '--name', name, '--publish', `127.0.0.1:${options.port}:3306`]
  args.push('--volume', `${dataDir}:/var/lib/mysql`, '--user', `${process.getuid?.()}:${process.getgid?.()}`)
  args.push('--env', 'MYSQL_ROOT_PASSWORD', 'mysql:8.4', '--skip-log-bin', ...commonFlags(options))
  return { command: docker, args, env: { MYSQL_ROOT_PASSWORD: options.password } }
}
