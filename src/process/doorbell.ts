import { createSocket, type Socket, type SocketType } from 'node:dgram'
import { isIP } from 'node:net'
import { parseHostPort } from '../domain/net/host-port.js'

/** Rings the workers after a commit, so that their relay claims at once and not at its next poll. */
export type Doorbell = {
  /** Sends each worker one datagram; never fails, never waits. If it is lost, the worker's next poll finds the row. */
  ring(): void
  close(): void
}

/** How long the addresses of the workers are used before they are read again. */
const ADDRESSES_FRESH_MS = 1_000

type Options = {
  /** Addresses `host:port` of the live workers, from their heartbeats. Each comes unchecked from a worker's settings. */
  readonly listAddresses: () => Promise<string[]>
}

/** Makes a bell. Several rings within one iteration of the event loop are sent as one. */
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

  /** Resolves a name to IPv4 first, because a worker listens on IPv4 when it is given a name. */
  function ringAt(address: string): void {
    const target = parseHostPort(address)
    if (!target) return
    const { host, port } = target
    const ipVersion = isIP(host)
    socketOf(ipVersion === 6 ? 'udp6' : 'udp4').send('ring', port, host, (error) => {
      if (error && ipVersion === 0 && !isClosed) socketOf('udp6').send('ring', port, host, () => undefined)
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
