import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { countedAddress } from '../auth/counted-address.js'
import type { OpenRequests } from './open-requests.js'

/** Why a connection was closed before its time, as the metric names it. */
export type CutReason = 'process_limit' | 'address_limit' | 'handshake' | 'unread'

export type ConnectionLimits = {
  /** Time for the whole TLS handshake, in milliseconds, however the client spends it. */
  readonly handshakeMs: number
  /** Connections of the process; the next one is closed at once. */
  readonly perProcess: number
  /** Connections of one client address (of its /64 in IPv6); trusted proxies have no such limit. */
  readonly perAddress: number
  readonly isTrustedProxy: (address: string) => boolean
}

export type Connections = {
  /** Closes every connection without a request under way, and each other one after its last answer. */
  readonly closeQuiet: () => void
  /** Closes what is left, requests under way included. */
  readonly destroyAll: () => void
}

/**
 * Watches the connections of a server from their first packet. Node's own list begins after the TLS handshake, so neither
 * its deadlines nor `closeAllConnections` reach a client that never finishes one.
 */
export function watchConnections(
  server: Server,
  openRequests: OpenRequests,
  limits: ConnectionLimits,
  onCut: (reason: CutReason) => void,
): Connections {
  const open = new Set<Socket>()
  /** Open handshakes by the client's address and port, because the TLS socket is another object than the TCP one. */
  const shaking = new Map<string, { readonly socket: Socket; readonly timer: NodeJS.Timeout }>()
  const ready = new Set<Socket>()
  const perAddress = new Map<string, number>()
  const isTls = 'setSecureContext' in server

  server.maxConnections = limits.perProcess
  server.on('drop', () => onCut('process_limit'))
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    if (!admitAddress(socket)) return
    if (isTls) awaitHandshake(socket)
    else watchReady(socket)
  })
  server.on('secureConnection', (socket: Socket) => {
    endHandshake(peerOf(socket))
    watchReady(socket)
  })
  // After a failed handshake nothing can be answered.
  server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())

  function admitAddress(socket: Socket): boolean {
    const address = socket.remoteAddress ?? ''
    if (limits.isTrustedProxy(address)) return true
    const counted = countedAddress(address)
    const count = (perAddress.get(counted) ?? 0) + 1
    perAddress.set(counted, count)
    socket.once('close', () => {
      const left = (perAddress.get(counted) ?? 1) - 1
      if (left === 0) perAddress.delete(counted)
      else perAddress.set(counted, left)
    })
    if (count <= limits.perAddress) return true
    onCut('address_limit')
    socket.destroy()
    return false
  }

  function awaitHandshake(socket: Socket): void {
    const peer = peerOf(socket)
    const timer = setTimeout(() => {
      onCut('handshake')
      socket.destroy()
    }, limits.handshakeMs)
    shaking.set(peer, { socket, timer })
    socket.once('close', () => endHandshake(peer, socket))
  }

  /** A new connection may use the port of a closed socket already, so a socket removes its own entry only. */
  function endHandshake(peer: string, socket?: Socket): void {
    const entry = shaking.get(peer)
    if (!entry || (socket && entry.socket !== socket)) return
    clearTimeout(entry.timer)
    shaking.delete(peer)
  }

  function watchReady(socket: Socket): void {
    ready.add(socket)
    socket.once('close', () => ready.delete(socket))
  }

  return {
    closeQuiet() {
      for (const { socket } of shaking.values()) socket.destroy()
      for (const socket of ready) openRequests.closeBehindLatest(socket)
    },
    destroyAll() {
      for (const socket of open) socket.destroy()
    },
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
