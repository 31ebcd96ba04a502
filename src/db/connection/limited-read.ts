import type { Knex } from 'knex'
import type { Db } from './connection.js'

/**
 * Runs a SELECT that the server itself ends after `limitMs` milliseconds. MariaDB takes the limit from the comment in
 * front, which MySQL skips; MySQL takes it from the hint, which MariaDB skips.
 *
 * @throws the server's error, see isStatementTimeout
 */
export async function readWithin<Row>(db: Db, query: Knex.QueryBuilder, limitMs: number): Promise<Row[]> {
  const { sql, bindings } = query.toSQL().toNative()
  const hinted = sql.replace(/^select /, `select /*+ MAX_EXECUTION_TIME(${limitMs}) */ `)
  const [rows] = (await db.raw(`/*M! SET STATEMENT max_statement_time = ${limitMs / 1000} FOR */ ${hinted}`, [
    ...bindings,
  ] as Knex.RawBinding[])) as [Row[]]
  return rows
}

/** How long the database may take to read a page of a list, in milliseconds. */
export const LIST_LIMIT_MS = 2_000
