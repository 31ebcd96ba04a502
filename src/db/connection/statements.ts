import type { Connection } from 'mysql2'
import type { Db } from './connection.js'

/** A value for a `?`. No objects: mysql2 would turn them into SQL of its own. */
export type SqlValue = string | number | null | Date | Buffer

/** SQL that is written by hand, with one `?` for each value. */
export type Statement = { readonly sql: string; readonly values: readonly SqlValue[] }

/**
 * Builds an INSERT of many rows.
 *
 * @param into table and columns, such as `events (id, type)`
 * @param row how one row is written, such as `(?, NOW(3))`
 * @param rows the values of each row, in the order of its `?`; at least one row
 * @param ending what follows the rows, such as ON DUPLICATE KEY UPDATE
 */
export const insertStatement = (
  into: string,
  row: string,
  rows: readonly (readonly SqlValue[])[],
  ending = '',
): Statement => ({
  sql: `INSERT INTO ${into} VALUES ${Array<string>(rows.length).fill(row).join(', ')} ${ending}`,
  values: rows.flat(),
})

/** Runs one statement, in a transaction when `db` is one. */
export async function run(db: Db, { sql, values }: Statement): Promise<void> {
  await db.raw(sql, [...values])
}

/** The part of knex's client that gives out connections of its pool. */
type Pool = {
  acquireConnection(): Promise<Connection>
  releaseConnection(connection: Connection): Promise<void>
}

/**
 * Runs the statements as one transaction that takes one round trip. The pool must allow several statements per query
 * (`severalStatements` of `connect`).
 *
 * @throws the error of the first statement that fails; nothing is written then. After a lost connection nobody knows
 *   whether the commit took place.
 */
export async function commitTogether(batchDb: Db, statements: readonly Statement[]): Promise<void> {
  const pool = batchDb.client as Pool
  const connection = await pool.acquireConnection()
  try {
    const sql = ['START TRANSACTION', ...statements.map((statement) => statement.sql), 'COMMIT'].join(';\n')
    await query(connection, { sql, values: statements.flatMap(({ values }) => values) })
  } catch (error) {
    // The server stops at the statement that failed and leaves the transaction open.
    await query(connection, { sql: 'ROLLBACK', values: [] }).catch(() => connection.destroy())
    throw error
  } finally {
    await pool.releaseConnection(connection)
  }
}

const query = (connection: Connection, { sql, values }: Statement): Promise<void> =>
  new Promise((resolve, reject) => {
    connection.query({ sql }, [...values], (error) => (error ? reject(error) : resolve()))
  })
