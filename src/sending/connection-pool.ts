import type { TLSSocket } from 'node:tls'
import { Client } from 'undici'

/** A verified connection and the HTTP/1.1 client that speaks over it, one request at a time. */
export type Connection = {
  readonly socket: TLSSocket
  readonly client: Client
  readonly openedAtMs: number
  /** The error that ended the connection. Later errors, undici's own too, only say that it is closed. */
  readonly firstError: () => Error | undefined
}

export type ConnectionPool = {
  /** Gives the key's most recently used idle connection to this caller alone; undefined when there is none. */
  readonly take: (key: string) => Connection | undefined
  /** Keeps the connection for the key's next request, unless it is closed or its life is over. */
  readonly give: (key: string, connection: Connection) => void
  /** Closes all idle connections and every one given back later. */
  readonly close: () => void
}

/** Longest life of a connection: when a host name moves to another address, requests must soon follow. */
const LIFETIME_MS = 30_000
/** Idle connections of all keys together; beyond it the oldest is closed, so that file descriptors do not run out. */
const MAXIMUM_IDLE = 512
const MAXIMUM_HEADER_BYTES = 16_384
/** When a peer announces when it closes an idle connection, we stop using the connection this long before. */
const KEEP_ALIVE_MARGIN_MS = 1_000

/** Wraps an open socket. The client never opens another: once this one is gone, requests fail. */
export function toConnection(origin: string, socket: TLSSocket): Connection {
  let firstError: Error | undefined
  socket.once('error', (error: Error) => (firstError = error))
  const client = new Client(origin, {
    // In a microtask, because undici sends nothing when its connector calls back synchronously.
    connect: (_options, callback) =>
      queueMicrotask(() => {
        if (!socket.destroyed) callback(null, socket)
        // Not the socket's own error: on some of those undici would connect again, without end.
        else callback(new Error('The connection is closed.'), null)
      }),
    pipelining: 1,
    // The attempt's own deadline covers both; these would restart with every byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: LIFETIME_MS,
    keepAliveMaxTimeout: LIFETIME_MS,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    maxHeaderSize: MAXIMUM_HEADER_BYTES,
  })
  return { socket, client, openedAtMs: performance.now(), firstError: () => firstError }
}

/** Idle connections by key. Each key is one webhook and origin, so nothing is ever shared between tenants. */
export function createConnectionPool(maximumIdle = MAXIMUM_IDLE): ConnectionPool {
  const idle = new Map<Connection, { readonly key: string; readonly forget: () => void }>()
  let isClosed = false

  function give(key: string, connection: Connection): void {
    const { socket, openedAtMs } = connection
    const remainingMs = openedAtMs + LIFETIME_MS - performance.now()
    if (isClosed || socket.destroyed || remainingMs <= 0) {
      socket.destroy()
      return
    }
    const drop = () => {
      release(connection)
      socket.destroy()
    }
    const timer = setTimeout(drop, remainingMs).unref()
    socket.once('close', drop)
    idle.set(connection, {
      key,
      forget() {
        clearTimeout(timer)
        socket.off('close', drop)
      },
    })
    const [oldest] = idle.keys()
    if (idle.size > maximumIdle && oldest) {
      release(oldest)
      oldest.socket.destroy()
    }
  }

  function release(connection: Connection): void {
    idle.get(connection)?.forget()
    idle.delete(connection)
  }

  function take(key: string): Connection | undefined {
    let latest: Connection | undefined
    for (const [connection, entry] of idle) if (entry.key === key) latest = connection
    if (latest) release(latest)
    return latest
  }

  function close(): void {
    isClosed = true
    for (const connection of [...idle.keys()]) {
      release(connection)
      connection.socket.destroy()
    }
  }

  return { take, give, close }
}
