import type { Knex } from 'knex'
import type { Db } from './connection.ts'
import { rowsOf, run, type SqlValue, type Statement } from './statements.ts'

/**
 * Runs a SELECT that the server itself ends after `limitMs` milliseconds. MariaDB takes the limit from the comment in
 * front, which MySQL skips; MySQL takes it from the hint, which MariaDB skips.
 *
 * @throws the server's error, see isStatementTimeout
 */
export function readWithin<Row>(db: Db, query: Knex.QueryBuilder, limitMs: number): Promise<Row[]> {
  const { sql, bindings } = query.toSQL().toNative()
  return readStatementWithin(db, { sql, values: bindings as SqlValue[] }, limitMs)
}

/** As readWithin, for a statement written by hand that begins with `select`. */
export async function readStatementWithin<Row>(
  db: Db,
  { sql, values }: Statement,
  limitMs: number,
): Promise<Row[]> {
  const hinted = sql.replace(/^select /, `select /*+ MAX_EXECUTION_TIME(${limitMs}) */ `)
  const limited = `/*M! SET STATEMENT max_statement_time = ${limitMs / 1000} FOR */ ${hinted}`
  return rowsOf<Row>(await run(db, { sql: limited, values }))
}

/** How long the database may take to read a page of a list, in milliseconds. */
export const LIST_LIMIT_MS = 2_000
