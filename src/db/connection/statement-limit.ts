import { AsyncLocalStorage } from 'node:async_hooks'

const limits = new AsyncLocalStorage<number>()

/**
 * Does work of which the database server itself ends each SELECT after `limitMs` milliseconds. A limit within another one
 * takes its place. Without any, the limit of the connection holds.
 *
 * @throws what the work throws; a SELECT that took too long: see isStatementTimeout
 */
export const withStatementLimit = <T>(limitMs: number, work: () => Promise<T>): Promise<T> =>
  limits.run(limitMs, work)

/**
 * Gives a statement the limit of the work that sends it. MariaDB takes the limit from the comment in front, which MySQL
 * skips; MySQL takes it from the hint, which MariaDB skips. What is no SELECT stays as it is.
 */
export function limitStatement(sql: string): string {
  const limitMs = limits.getStore()
  if (limitMs === undefined || !/^\(?select\b/i.test(sql)) return sql
  const hinted = sql.replace(/select\b/i, `$& /*+ MAX_EXECUTION_TIME(${limitMs}) */`)
  return `/*M! SET STATEMENT max_statement_time = ${limitMs / 1000} FOR */ ${hinted}`
}
