import { createSocket, type Socket, type SocketType } from 'node:dgram'
import { isIP } from 'node:net'
import { parseHostPort } from '../domain/net/host-port.js'

/** Rings the workers after a commit, so that their relay claims at once and not at its next poll. */
export type Doorbell = {
  /** One datagram to each worker; never fails and never waits. A lost one costs a poll interval, nothing else. */
  ring(): void
  close(): void
}

/** How long the addresses of the workers are believed. */
const ADDRESSES_FRESH_MS = 1_000

type Options = {
  /** Addresses `host:port` of the live workers, from their heartbeats. Each is what some worker's settings say. */
  readonly listAddresses: () => Promise<string[]>
}

/** A bell whose datagrams are coalesced: rings within one turn of the event loop are one. */
export function createDoorbell({ listAddresses }: Options): Doorbell {
  const sockets = new Map<SocketType, Socket>()
  let addresses: string[] = []
  let readAtMs = 0
  let isRinging = false
  let isClosed = false

  async function refresh(): Promise<void> {
    if (Date.now() - readAtMs < ADDRESSES_FRESH_MS) return
    readAtMs = Date.now()
    addresses = await listAddresses().catch(() => addresses)
  }

  async function send(): Promise<void> {
    await refresh()
    if (isClosed) return
    for (const address of addresses) {
      try {
        ringAt(address)
      } catch {
        // One worker that cannot be rung finds its work at its next poll; the others are rung all the same.
      }
    }
  }

  /** A name is looked for among IPv4 addresses first, as a worker listens on it. */
  function ringAt(address: string): void {
    const target = parseHostPort(address)
    if (!target) return
    const { host, port } = target
    const family = isIP(host)
    socketOf(family === 6 ? 'udp6' : 'udp4').send('ring', port, host, (error) => {
      if (error && family === 0 && !isClosed) socketOf('udp6').send('ring', port, host, () => undefined)
    })
  }

  function socketOf(type: SocketType): Socket {
    const socket = sockets.get(type) ?? createSocket({ type })
    if (sockets.has(type)) return socket
    socket.unref()
    socket.on('error', () => undefined)
    sockets.set(type, socket)
    return socket
  }

  return {
    ring() {
      if (isRinging) return
      isRinging = true
      setImmediate(() => {
        isRinging = false
        send().catch(() => undefined)
      })
    },
    close() {
      isClosed = true
      for (const socket of sockets.values()) socket.close()
    },
  }
}

/** Listens for rings on the UDP port. Resolves once it is bound; close the socket to stop. */
export function listenForRings(host: string, port: number, onRing: () => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4' })
    socket.once('error', reject)
    socket.on('message', onRing)
    socket.bind(port, host, () => {
      socket.removeListener('error', reject)
      socket.on('error', () => undefined)
      resolve(socket)
    })
  })
}
