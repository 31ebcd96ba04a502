import { isAtLeast } from '../versions.mjs'

/** The oldest servers the service and its tests are written for. */
const LEAST = { mysql: '8.0.17', mariadb: '10.6' }

/**
 * Reads what `mariadbd --version` or `mysqld --version` prints. Both names may be either server: Debian's mysqld is
 * MariaDB.
 *
 * @param {string} output such as "mysqld  Ver 8.4.3 for Linux on x86_64 (MySQL Community Server - GPL)"
 * @returns {{ kind: 'mysql' | 'mariadb', version: string, isSupported: boolean, least: string } | undefined}
 */
export function parseDatabaseVersion(output) {
  const version = /\bVer (\d+\.\d+\.\d+)/.exec(output)?.[1]
  if (version === undefined) return undefined
  const kind = /mariadb/i.test(output.replace(/^\S+/, '')) ? 'mariadb' : 'mysql'
  return { kind, version, isSupported: isAtLeast(version, LEAST[kind]), least: LEAST[kind] }
}
