import { mkdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { findOnPath, lastLines, run } from '../commands.mjs'

/**
 * @typedef {object} LocalServer
 * @property {string} executable
 * @property {string} dataDir
 * @property {NodeJS.ProcessEnv} env
 * @property {readonly string[]} asUser `--user=root` when root runs it (both servers refuse otherwise), else nothing
 */

/**
 * Creates MariaDB's data directory unless it exists. The work happens in a directory beside it, which is then renamed, so
 * that a run that was cut short leaves nothing half made.
 *
 * @param {LocalServer} server
 * @returns {Promise<void>}
 * @throws {Error} with what mariadb-install-db printed
 */
export async function initialiseMariadb({ executable, dataDir, env, asUser }) {
  await initialiseOnce(dataDir, async (fresh) => {
    const beside = [path.dirname(executable), '/usr/bin']
    const install =
      findOnPath('mariadb-install-db', env, beside) ?? findOnPath('mysql_install_db', env, beside)
    if (install === undefined)
      throw new Error(`mariadb-install-db is missing beside ${executable}: install it too`)
    // mariadb-install-db is a shell script that breaks on a path with spaces, so it gets a relative one.
    const datadir = `--datadir=./${path.basename(fresh)}`
    const args = [
      '--no-defaults',
      datadir,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      ...asUser,
    ]
    return run(install, args, { env, cwd: path.dirname(fresh) })
  })
}

/**
 * @param {string} dataDir
 * @param {(fresh: string) => Promise<import('../commands.mjs').Result>} initialise fills an empty directory
 * @returns {Promise<void>}
 */
export async function initialiseOnce(dataDir, initialise) {
  const exists = await stat(dataDir).catch(() => undefined)
  if (exists) return
  const fresh = `${dataDir}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { recursive: true, mode: 0o700 })
  const { code, output } = await initialise(fresh)
  if (code !== 0)
    throw new Error(`The database's data directory could not be created:\n${faultLines(output)}`)
  await rename(fresh, dataDir)
}

/** mariadb-install-db ends with a page of advice; its errors come before that. @param {string} output */
const faultLines = (output) => {
  const faults = output.split('\n').filter((line) => /\berror\b|fail|cannot/i.test(line))
  return lastLines([...faults, ...output.trimEnd().split('\n').slice(-3)].join('\n'))
}

/** Options for MariaDB alone. Aria has its own tables and temporary ones; by default they get as much memory as ours. */
export const MARIADB_FLAGS = ['--skip-name-resolve', '--aria-pagecache-buffer-size=8M']
