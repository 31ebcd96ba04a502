import { cli } from '../../stack/company.ts'

/** Enough memory for the data that a row of the table fills in, as on a production server. */
const BUFFER_POOL_BYTES = 1024 ** 3

/**
 * @typedef {object} OtherDatabase
 * @property {Record<string, string>} env what a process on it is started with
 * @property {import('knex').Knex} db
 * @property {() => Promise<void>} drop
 */

/**
 * Creates and migrates another database on the stack's server. The stack's worker does not use it.
 *
 * @param {import('./stack.mjs').HostileStack} stack
 * @param {string} name
 * @returns {Promise<OtherDatabase>}
 */
export async function createDatabase(stack, name) {
  const url = new URL(stack.env.DATABASE_URL ?? '')
  url.pathname = `/${name}`
  const env = { ...stack.env, DATABASE_URL: String(url) }
  await stack.db.raw('SET GLOBAL innodb_buffer_pool_size = ?', [BUFFER_POOL_BYTES])
  await cli(['migrate'], env)
  const { connect } = await import('../../../src/db/connection/connection.ts')
  const db = connect(String(url))
  return {
    env,
    db,
    async drop() {
      await db.raw('DROP DATABASE ??', [name])
      await db.destroy()
    },
  }
}

/**
 * Runs statements that make very many rows, on a connection without the limits of the service. They may select from
 * `numbers`, a view of 0 to 999,999 in `n`.
 *
 * @param {Pick<OtherDatabase, 'env'>} database
 * @param {readonly string[]} statements
 */
export async function fillRows({ env }, statements) {
  const { createConnection } = await import('mysql2/promise')
  const connection = await createConnection({ uri: env.DATABASE_URL ?? '', timezone: 'Z' })
  const digits = Array.from({ length: 1_000 }, (_, n) => `(${n})`).join(', ')
  await connection.query('CREATE TABLE IF NOT EXISTS thousand (n INT NOT NULL PRIMARY KEY)')
  await connection.query(`INSERT IGNORE INTO thousand VALUES ${digits}`)
  await connection.query(
    'CREATE OR REPLACE VIEW numbers AS SELECT a.n * 1000 + b.n AS n FROM thousand a JOIN thousand b',
  )
  await connection.query("SET time_zone = '+00:00', unique_checks = 0, foreign_key_checks = 0")
  for (const statement of statements) await connection.query(statement)
  await connection.end()
}

/** @param {string} prefix @param {string} number SQL @returns {string} SQL of an id as scattered as a random one */
export const idOf = (prefix, number) => {
  const hash = `MD5(CONCAT('${prefix}', ${number}))`
  return `CONCAT('${prefix}_', ${[9, 14, 19, 24].reduce((sql, at) => `INSERT(${sql}, ${at}, 0, '-')`, hash)})`
}
