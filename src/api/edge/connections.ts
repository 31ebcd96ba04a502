import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { countedAddress } from './request.ts'
import type { OpenRequests } from './open-requests.ts'

/** Why a connection was closed early, as the metric names it. */
export type CutReason = 'process_limit' | 'address_limit' | 'handshake' | 'unread'

export type ConnectionLimits = {
  /** The time for the whole TLS handshake, in milliseconds, whatever the client sends. */
  readonly handshakeMs: number
  /** The process has at most this many connections. A further one is closed at once. */
  readonly perProcess: number
  /**
   * A client address has at most this many connections. With IPv6, the limit applies to the whole /64 of the address.
   * Trusted proxies have no such limit.
   */
  readonly perAddress: number
  readonly isTrustedProxy: (address: string) => boolean
}

/** Above this share of `perProcess`, idle connections must make room. */
const CROWDED = 3 / 4
/**
 * How long a connection may stay open without a request, in milliseconds. Load balancers keep idle connections for
 * 60 s. If the server closes a connection earlier than they do, a request that is sent at that moment gets a 502.
 */
const IDLE_MS = { usual: 65_000, crowded: 5_000 }

type Handshake = { readonly socket: Socket; readonly timer: NodeJS.Timeout }

/**
 * Watches the connections of a server from their first packet on. Node's own list begins after the TLS handshake. So
 * neither its deadlines nor `closeAllConnections` reach a client that never finishes a handshake.
 */
export class Connections {
  readonly #openRequests: OpenRequests
  readonly #limits: ConnectionLimits
  readonly #onCut: (reason: CutReason) => void
  readonly #open = new Set<Socket>()
  /** Open handshakes by the client's address and port, because the TLS socket is another object than the TCP one. */
  readonly #handshakes = new Map<string, Handshake>()
  readonly #ready = new Set<Socket>()
  readonly #perAddress = new Map<string, number>()

  /** @param onCut called for every connection that a limit closes */
  constructor(openRequests: OpenRequests, limits: ConnectionLimits, onCut: (reason: CutReason) => void) {
    this.#openRequests = openRequests
    this.#limits = limits
    this.#onCut = onCut
  }

  /** Watches all connections of the server from now on. Call it once, before the server listens. */
  watch(server: Server): void {
    const isTls = 'setSecureContext' in server
    server.maxConnections = this.#limits.perProcess
    server.keepAliveTimeout = IDLE_MS.usual
    server.on('drop', () => this.#onCut('process_limit'))
    server.on('connection', (socket: Socket) => {
      if (!this.#admitAddress(socket)) return
      this.#open.add(socket)
      this.#boundIdle(server)
      socket.once('close', () => {
        this.#open.delete(socket)
        this.#boundIdle(server)
      })
      if (isTls) this.#awaitHandshake(socket)
      else this.#watchReady(socket)
    })
    server.on('secureConnection', (socket: Socket) => {
      this.#endHandshake(peerOf(socket))
      this.#watchReady(socket)
    })
    // After a failed handshake no answer is possible.
    server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
  }

  /** Closes every connection that has no request under way. The other connections close after their last answer. */
  closeQuiet(): void {
    for (const { socket } of this.#handshakes.values()) socket.destroy()
    for (const socket of this.#ready) this.#openRequests.closeAfterLatest(socket)
  }

  /** Closes all connections that are still open, even if a request is under way. */
  destroyAll(): void {
    for (const socket of this.#open) socket.destroy()
  }

  /**
   * When few places are left, closes the idle connections. As long as few places are left, every connection may be idle
   * only for a shorter time.
   */
  #boundIdle(server: Server): void {
    const isCrowded = this.#open.size > this.#limits.perProcess * CROWDED
    const idleMs = isCrowded ? IDLE_MS.crowded : IDLE_MS.usual
    if (idleMs === server.keepAliveTimeout) return
    server.keepAliveTimeout = idleMs
    if (isCrowded) server.closeIdleConnections()
  }

  #admitAddress(socket: Socket): boolean {
    const address = socket.remoteAddress ?? ''
    if (this.#limits.isTrustedProxy(address)) return true
    const counted = countedAddress(address)
    const count = (this.#perAddress.get(counted) ?? 0) + 1
    this.#perAddress.set(counted, count)
    socket.once('close', () => this.#uncountAddress(counted))
    if (count <= this.#limits.perAddress) return true
    this.#onCut('address_limit')
    socket.destroy()
    return false
  }

  #uncountAddress(counted: string): void {
    const left = (this.#perAddress.get(counted) ?? 1) - 1
    if (left === 0) this.#perAddress.delete(counted)
    else this.#perAddress.set(counted, left)
  }

  #awaitHandshake(socket: Socket): void {
    const peer = peerOf(socket)
    const timer = setTimeout(() => {
      this.#onCut('handshake')
      socket.destroy()
    }, this.#limits.handshakeMs)
    this.#handshakes.set(peer, { socket, timer })
    socket.once('close', () => this.#endHandshake(peer, socket))
  }

  /** A socket removes only its own entry, because a new connection may already use the port of a closed one. */
  #endHandshake(peer: string, socket?: Socket): void {
    const handshake = this.#handshakes.get(peer)
    if (!handshake || (socket && handshake.socket !== socket)) return
    clearTimeout(handshake.timer)
    this.#handshakes.delete(peer)
  }

  #watchReady(socket: Socket): void {
    this.#ready.add(socket)
    socket.once('close', () => this.#ready.delete(socket))
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
