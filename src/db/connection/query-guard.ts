import { AsyncLocalStorage } from 'node:async_hooks'
import type { Connection } from 'mysql2'
import { isReadOnly } from './errors.ts'

type Callback = (error: NodeJS.ErrnoException | null, ...result: unknown[]) => void
type Query = (options: { readonly sql: string }, values: unknown, done: Callback) => unknown

/** How callers may send a query: knex with options, rate-limiter-flexible and mysql2 itself with text, and without values. */
type Call = [query: { readonly sql: string } | string, valuesOrDone?: unknown, done?: Callback]

/** mysql2's code for a query that got no answer in its time. */
const TIMED_OUT = 'PROTOCOL_SEQUENCE_TIMEOUT'

/** Connections that led to a read-only server. */
const misled = new WeakSet<Connection>()

/** Since when a connection idles, and how long it may, in milliseconds. */
const idleness = new WeakMap<Connection, { readonly limitMs: number; sinceMs: number }>()

/** Makes the pool replace a connection that has idled for `limitMs` (isUsable). */
export const limitIdleness = (connection: Connection, limitMs: number): unknown =>
  idleness.set(connection, { limitMs, sinceMs: performance.now() })

/**
 * Gives each query of the connection the limit of the work that sends it (withStatementLimit), and watches how it ends:
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

/** Whether the pool may give the connection out again; it destroys one that it may not. */
export function isUsable(connection: Connection): boolean {
  const idle = idleness.get(connection)
  return !misled.has(connection) && (!idle || performance.now() - idle.sinceMs < idle.limitMs)
}

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
 * skips; MySQL takes it from the hint, which MariaDB skips. Any other statement than a SELECT stays as it is.
 */
function limitStatement(sql: string): string {
  const limitMs = limits.getStore()
  if (limitMs === undefined || !/^\(?select\b/i.test(sql)) return sql
  const hinted = sql.replace(/select\b/i, `$& /*+ MAX_EXECUTION_TIME(${limitMs}) */`)
  return `/*M! SET STATEMENT max_statement_time = ${limitMs / 1000} FOR */ ${hinted}`
}
