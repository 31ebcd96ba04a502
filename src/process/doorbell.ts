import { createSocket, type Socket, type SocketType } from 'node:dgram'
import { isIP } from 'node:net'
import { parseHostPort } from '../domain/net/host-port.js'

/** How long the addresses of the workers are used before they are read again. */
const ADDRESSES_FRESH_MS = 1_000

type Options = {
  /** Addresses `host:port` of the live workers, from their heartbeats. Each comes unchecked from a worker's settings. */
  readonly listAddresses: () => Promise<string[]>
}

/** Rings the workers after a commit, so that their relay claims at once and not at its next poll. */
export class Doorbell {
  readonly #listAddresses: Options['listAddresses']
  readonly #sockets = new Map<SocketType, Socket>()
  #addresses: string[] = []
  #readAtMs = 0
  #isRinging = false
  #isClosed = false

  constructor({ listAddresses }: Options) {
    this.#listAddresses = listAddresses
  }

  /**
   * Sends each worker one datagram; never fails, never waits. If it is lost, the worker's next poll finds the row.
   * Several rings within one iteration of the event loop are sent as one.
   */
  ring(): void {
    if (this.#isRinging) return
    this.#isRinging = true
    setImmediate(() => {
      this.#isRinging = false
      this.#send().catch(() => undefined)
    })
  }

  /** Closes the sockets; a ring that comes later sends nothing. */
  close(): void {
    this.#isClosed = true
    for (const socket of this.#sockets.values()) socket.close()
  }

  async #send(): Promise<void> {
    await this.#refresh()
    if (this.#isClosed) return
    for (const address of this.#addresses) {
      try {
        this.#ringAt(address)
      } catch {
        // One worker that cannot be rung finds its work at its next poll; the others are rung all the same.
      }
    }
  }

  async #refresh(): Promise<void> {
    if (Date.now() - this.#readAtMs < ADDRESSES_FRESH_MS) return
    this.#readAtMs = Date.now()
    this.#addresses = await this.#listAddresses().catch(() => this.#addresses)
  }

  /** Resolves a name to IPv4 first, because a worker listens on IPv4 when it is given a name. */
  #ringAt(address: string): void {
    const target = parseHostPort(address)
    if (!target) return
    const { host, port } = target
    const ipVersion = isIP(host)
    this.#socketOf(ipVersion === 6 ? 'udp6' : 'udp4').send('ring', port, host, (error) => {
      if (!error || ipVersion !== 0 || this.#isClosed) return
      this.#socketOf('udp6').send('ring', port, host, () => undefined)
    })
  }

  #socketOf(type: SocketType): Socket {
    const known = this.#sockets.get(type)
    if (known) return known
    const socket = createSocket({ type })
    socket.unref()
    socket.on('error', () => undefined)
    this.#sockets.set(type, socket)
    return socket
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
