import type { Connection } from 'mysql2'

type Callback = (error: NodeJS.ErrnoException | null, ...result: unknown[]) => void
type Query = (options: object, values: unknown, done: Callback) => unknown

/** mysql2's code for a query that got no answer in its time. */
const TIMED_OUT = 'PROTOCOL_SEQUENCE_TIMEOUT'

/**
 * Gives every query of the connection a time to be answered in, milliseconds. The limit of the server (connection.ts)
 * does not help where the server or the network hangs. The connection ends with such a query: what else is sent over
 * it, a ROLLBACK first of all, would hang as well.
 */
export function limitQueries(connection: Connection, limitMs: number): void {
  const query = connection.query.bind(connection) as unknown as Query
  const limited: Query = (options, values, done) =>
    query({ ...options, timeout: limitMs }, values, (error, ...result) => {
      if (error?.code === TIMED_OUT) connection.destroy()
      done(error, ...result)
    })
  connection.query = limited as unknown as Connection['query']
}
