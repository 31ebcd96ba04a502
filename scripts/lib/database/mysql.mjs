import { run } from '../commands.mjs'
import { initialiseOnce } from './mariadb.mjs'

/**
 * Creates MySQL's data directory unless it exists; mysqld does it itself. root has no password until the first start
 * runs the init file, before the server listens.
 *
 * @param {import('./mariadb.mjs').LocalServer} server
 * @returns {Promise<void>}
 * @throws {Error} with what mysqld printed
 */
export async function initialiseMysql({ executable, dataDir, env, asUser }) {
  await initialiseOnce(dataDir, (fresh) =>
    run(executable, ['--no-defaults', '--initialize-insecure', `--datadir=${fresh}`, ...asUser], { env }),
  )
}

/**
 * Options for MySQL alone: no X protocol (it would take port 33060), no binary log, and no import directory (Debian's
 * default one may not exist, and mysqld then aborts).
 */
export const MYSQL_FLAGS = [
  '--mysqlx=OFF',
  '--skip-log-bin',
  '--performance-schema=OFF',
  '--secure-file-priv=NULL',
]
