import { AsyncLocalStorage } from 'node:async_hooks'
import type { Connection } from 'mysql2'
import { isReadOnly } from './errors.ts'

type Callback = (error: NodeJS.ErrnoException | null, ...result: unknown[]) => void
type Query = (options: { readonly sql: string }, values: unknown, done: Callback) => unknown

/** The ways to call `query`: knex passes options. rate-limiter-flexible and mysql2 itself pass text, and sometimes no values. */
type Call = [query: { readonly sql: string } | string, valuesOrDone?: unknown, done?: Callback]

/** mysql2's code for a query without an answer within its time. */
const TIMED_OUT = 'PROTOCOL_SEQUENCE_TIMEOUT'

/** Connections that turned out to lead to a read-only server. */
const misled = new WeakSet<Connection>()

/** When a connection was last used, by performance.now(), and how long it may stay idle, both in milliseconds. */
const idleness = new WeakMap<Connection, { readonly limitMs: number; sinceMs: number }>()

/** Makes the pool replace a connection that was idle for `limitMs` (isUsable). */
export const limitIdleness = (connection: Connection, limitMs: number): unknown =>
  idleness.set(connection, { limitMs, sinceMs: performance.now() })

/**
 * Gives each query of the connection the limit of the work that sends it (withStatementLimit), and watches how the
 * query ends:
 * - A query without an answer within `limitMs` milliseconds ends the connection. The server's own limit (connection.ts)
 *   does not help when the server or the network hangs. Later statements, such as a ROLLBACK, would hang as well.
 * - A query that a read-only server refused makes the pool replace the connection (isUsable). After a failover the
 *   connection still leads to the former primary.
 *
 * @param limitMs undefined: no limit
 */
export function guardQueries(connection: Connection, limitMs: number | undefined): void {
  const query = connection.query.bind(connection) as unknown as Query
  const timeout = limitMs === undefined ? {} : { timeout: limitMs }
  const guarded = (...[sent, given, last]: Call) => {
    const options = typeof sent === 'string' ? { sql: sent } : sent
    const [values, done] = typeof given === 'function' ? [undefined, given as Callback] : [given, last]
    return query({ ...options, sql: limitStatement(options.sql), ...timeout }, values, (error, ...result) => {
      if (error?.code === TIMED_OUT) connection.destroy()
      if (isReadOnly(error)) misled.add(connection)
      const idle = idleness.get(connection)
      if (idle) idle.sinceMs = performance.now()
      done?.(error, ...result)
    })
  }
  connection.query = guarded as unknown as Connection['query']
}

/** Sends a query over a connection of the pool. @throws the database's error */
export const sendQuery = (connection: Connection, sql: string, values: unknown[] = []): Promise<unknown> =>
  new Promise((resolve, reject) => {
    connection.query({ sql }, values, (error, answer) => (error ? reject(error) : resolve(answer)))
  })

/** Whether the pool may give the connection out again. If not, the pool destroys the connection. */
export function isUsable(connection: Connection): boolean {
  const idle = idleness.get(connection)
  return !misled.has(connection) && (!idle || performance.now() - idle.sinceMs < idle.limitMs)
}

const limits = new AsyncLocalStorage<number>()

/**
 * Runs work. The database server ends each SELECT of the work after `limitMs` milliseconds. A nested call replaces the
 * limit. Outside of this function, the limit of the connection applies.
 *
 * @throws what the work throws. For a SELECT that took too long, see isStatementTimeout
 */
export const withStatementLimit = <T>(limitMs: number, work: () => Promise<T>): Promise<T> =>
  limits.run(limitMs, work)

/**
 * Adds the limit of the work to a SELECT. MariaDB reads the limit from the comment before the SELECT, which MySQL
 * skips. MySQL reads it from the hint, which MariaDB skips. Other statements stay as they are.
 */
function limitStatement(sql: string): string {
  const limitMs = limits.getStore()
  if (limitMs === undefined || !/^\(?select\b/i.test(sql)) return sql
  const hinted = sql.replace(/select\b/i, `$& /*+ MAX_EXECUTION_TIME(${limitMs}) */`)
  return `/*M! SET STATEMENT max_statement_time = ${limitMs / 1000} FOR */ ${hinted}`
}
