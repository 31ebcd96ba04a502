import type { SystemDb } from '../../src/db/connection/connection.ts'

type Connection = { query: (options: { sql: string }, ...rest: unknown[]) => unknown }
type Client = { acquireConnection: () => Promise<Connection> }

/** Wraps the connections. `onSend` receives the statements of each round trip of a batch transaction as one text. */
export function watchBatches(batchDb: SystemDb, onSend: (sql: string) => void): SystemDb {
  const watch = (connection: Connection): Connection =>
    withOwn(connection, {
      query: (options: { sql: string }, ...rest: unknown[]) => {
        onSend(options.sql)
        return connection.query(options, ...rest)
      },
    })
  const client = batchDb.client as Client
  const watched = new Map<Connection, Connection>()
  return withOwn(batchDb, {
    client: withOwn(client, {
      async acquireConnection() {
        const connection = await client.acquireConnection()
        watched.set(connection, watch(connection))
        return watched.get(connection)
      },
      releaseConnection: (given: Connection) => {
        const [original] = [...watched].find(([, own]) => own === given) ?? [given]
        return (
          batchDb.client as { releaseConnection: (connection: Connection) => unknown }
        ).releaseConnection(original)
      },
    }),
  })
}

/** The object with some properties replaced. */
const withOwn = <T extends object>(object: T, own: object): T =>
  new Proxy(object, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name) as unknown
      const value = Reflect.get(target, name) as unknown
      return typeof value === 'function' && name !== 'constructor'
        ? (value as () => unknown).bind(target)
        : value
    },
  })
