import type { Connection } from 'mysql2'
import { isReadOnly } from '../../domain/database-errors.js'

type Callback = (error: NodeJS.ErrnoException | null, ...result: unknown[]) => void
type Query = (options: object, values: unknown, done: Callback) => unknown

/** mysql2's code for a query that got no answer in its time. */
const TIMED_OUT = 'PROTOCOL_SEQUENCE_TIMEOUT'

/** Connections that led to a read-only server. */
const misled = new WeakSet<Connection>()

/**
 * Looks at how every query of the connection ends:
 * - One that got no answer within `limitMs` milliseconds ends the connection. The limit of the server (connection.ts)
 *   does not help where the server or the network hangs; what else is sent over it, a ROLLBACK first of all, would hang
 *   as well.
 * - One that a read-only server refused makes the pool replace the connection (isUsable): after a failover it still
 *   leads to the former primary.
 *
 * @param limitMs undefined: as long as it takes
 */
export function guardQueries(connection: Connection, limitMs: number | undefined): void {
  const query = connection.query.bind(connection) as unknown as Query
  const guarded: Query = (options, values, done) =>
    query(limitMs === undefined ? options : { ...options, timeout: limitMs }, values, (error, ...result) => {
      if (error?.code === TIMED_OUT) connection.destroy()
      if (isReadOnly(error)) misled.add(connection)
      done(error, ...result)
    })
  connection.query = guarded as unknown as Connection['query']
}

/** Whether the pool may give the connection out again; it destroys one that it may not. */
export const isUsable = (connection: Connection): boolean => !misled.has(connection)
