import type { TLSSocket } from 'node:tls'
import { Client } from 'undici'

/** A verified connection and the HTTP/1.1 client that speaks over it, one request at a time. */
export type Connection = {
  readonly socket: TLSSocket
  readonly client: Client
  readonly openedAtMs: number
  /** The error that ended the connection. Later errors only say that the connection is closed. */
  readonly firstError: () => Error | undefined
}

/** Longest life of a connection: when a host name moves to another address, requests must soon follow. */
const LIFETIME_MS = 30_000
const MAXIMUM_HEADER_BYTES = 16_384
/** A connection is not reused in this last part of the idle time that the peer announced (Keep-Alive). */
const KEEP_ALIVE_MARGIN_MS = 1_000

/** Wraps an open socket. The client never opens another socket: after this one is closed, requests fail. */
export function toConnection(origin: string, socket: TLSSocket): Connection {
  let firstError: Error | undefined
  socket.once('error', (error: Error) => (firstError = error))
  const client = new Client(origin, {
    // Deferred to a microtask, because undici sends nothing when its connector calls back synchronously.
    connect: (_options, callback) =>
      queueMicrotask(() => {
        if (!socket.destroyed) callback(null, socket)
        // Not the socket's own error, because after some errors undici would reconnect without end.
        else callback(new Error('The connection is closed.'), null)
      }),
    pipelining: 1,
    // The attempt's own deadline covers headers and body. These timers would restart with every byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: LIFETIME_MS,
    keepAliveMaxTimeout: LIFETIME_MS,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    maxHeaderSize: MAXIMUM_HEADER_BYTES,
  })
  client.once('connect', () => acceptContinue(socket))
  return { socket, client, openedAtMs: performance.now(), firstError: () => firstError }
}

/** undici's parser of answers, as far as it matters here. */
type Parser = { onHeadersComplete: (status: number, ...more: unknown[]) => number }

/**
 * Lets `100 Continue` pass. A client must be able to read this answer even if it did not ask for it (RFC 9110, 15.2).
 * undici would end the connection. So this function gives undici's parser a 102 instead, which undici lets pass.
 */
function acceptContinue(socket: TLSSocket): void {
  const bySymbol = socket as unknown as Readonly<Record<symbol, Partial<Parser> | undefined>>
  const parser = Object.getOwnPropertySymbols(socket)
    .map((symbol) => bySymbol[symbol])
    .find((kept): kept is Parser => kept?.onHeadersComplete !== undefined)
  // A version of undici that keeps its parser elsewhere still refuses 100.
  if (!parser) return
  const onHeadersComplete = parser.onHeadersComplete.bind(parser)
  parser.onHeadersComplete = (status, ...more) => onHeadersComplete(status === 100 ? 102 : status, ...more)
}

/** What the pool remembers of an open connection, from the first `give` on, even while a request uses it. */
type Kept = { readonly timer: NodeJS.Timeout; key: string }

/**
 * Idle connections by key. A key is one webhook and origin, so tenants never share a connection. `take` takes constant
 * time. So does `give`, but in a full pool it also goes through the idle connections of one key.
 */
export class ConnectionPool {
  readonly #maximumIdle: number
  readonly #kept = new Map<Connection, Kept>()
  /** Idle connections of all keys, in the order in which they were given. */
  readonly #idle = new Set<Connection>()
  /** Idle connections by key, the latest last. A key without idle connections has no entry. */
  readonly #idleByKey = new Map<string, Connection[]>()
  #isClosed = false

  /**
   * @param maximumIdle for all keys together. Above it, the pool closes the connection that is idle for longest, to
   *   save file descriptors
   */
  constructor(maximumIdle: number) {
    this.#maximumIdle = maximumIdle
  }

  /** Takes the key's most recently used idle connection out of the pool; undefined when there is none. */
  take(key: string): Connection | undefined {
    const ofKey = this.#idleByKey.get(key)
    const connection = ofKey?.pop()
    if (!ofKey || !connection) return undefined
    if (ofKey.length === 0) this.#idleByKey.delete(key)
    this.#idle.delete(connection)
    return connection
  }

  /** Keeps the connection for the key's next request, unless it is closed or its life is over. */
  give(key: string, connection: Connection): void {
    const remainingMs = connection.openedAtMs + LIFETIME_MS - performance.now()
    if (this.#isClosed || connection.socket.destroyed || remainingMs <= 0) {
      connection.socket.destroy()
      return
    }
    this.#keep(key, connection, remainingMs)
    this.#idle.add(connection)
    const ofKey = this.#idleByKey.get(key)
    if (ofKey) ofKey.push(connection)
    else this.#idleByKey.set(key, [connection])
    if (this.#idle.size > this.#maximumIdle) {
      const [oldest] = this.#idle
      if (oldest) this.#end(oldest)
    }
  }

  /** Closes all idle connections, and later each connection when it is given back. */
  close(): void {
    this.#isClosed = true
    for (const connection of [...this.#kept.keys()]) this.#end(connection)
  }

  /** One timer and one listener serve a connection for its whole life. */
  #keep(key: string, connection: Connection, remainingMs: number): void {
    const known = this.#kept.get(connection)
    if (known) {
      known.key = key
      return
    }
    const timer = setTimeout(() => this.#end(connection), remainingMs).unref()
    this.#kept.set(connection, { key, timer })
    connection.socket.once('close', () => this.#forget(connection))
  }

  /** Ends an idle connection now. If a request uses the connection, the next `give` closes it. */
  #end(connection: Connection): void {
    const isIdle = this.#idle.has(connection)
    this.#forget(connection)
    if (isIdle) connection.socket.destroy()
  }

  /** Forgets a connection. Takes time linear in the number of idle connections of its key. */
  #forget(connection: Connection): void {
    const kept = this.#kept.get(connection)
    if (!kept) return
    clearTimeout(kept.timer)
    this.#kept.delete(connection)
    if (!this.#idle.delete(connection)) return
    const others = this.#idleByKey.get(kept.key)?.filter((other) => other !== connection) ?? []
    if (others.length > 0) this.#idleByKey.set(kept.key, others)
    else this.#idleByKey.delete(kept.key)
  }
}
