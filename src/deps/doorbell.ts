import { createSocket, type Socket, type SocketType } from 'node:dgram'
import { isIP } from 'node:net'
import { parseHostPort } from '../domain/net/host-port.ts'
import type { KeyRing } from '../domain/sealing/sealing.ts'
import {
  lineOf,
  readHints,
  writeHints,
  type Hint,
  RingOpener,
  RingSealer,
  type DropReason,
} from './datagram.ts'

/** How long the addresses of the workers are used before they are read again. */
const ADDRESSES_FRESH_MS = 1_000

type Options = {
  /** Receivers accept only datagrams that are sealed with a key that they have too. */
  readonly secretsKeys: KeyRing
  /** Lists the addresses `host:port` of the processes to ring. They come unchecked from the settings of those processes. */
  readonly listAddresses: () => Promise<string[]>
  /** A ring with hints goes to this many workers in turn, by default to all. A ring without hints goes to all. */
  readonly atMost?: number
  /** A clock in milliseconds; only tests give one. */
  readonly nowMs?: () => number
}

/** Rings processes after a commit: workers, whose relay then claims at once, or apis where clients wait for events. */
export class Doorbell {
  readonly #options: Options
  readonly #sealer: RingSealer
  readonly #sockets = new Map<SocketType, Socket>()
  #addresses: string[] = []
  #readAtMs = -Infinity
  /** The hints of the next datagram, as its lines; undefined while no datagram is about to be sent. */
  #lines: Set<string> | undefined
  #isAnywhere = false
  #isClosed = false
  /** Modulo the number of addresses, this is the index of the next worker. */
  #turnsTaken = 0

  constructor(options: Options) {
    this.#options = options
    this.#sealer = new RingSealer(options.secretsKeys)
  }

  /**
   * Sends one datagram to each worker whose turn it is; never throws, never waits. If the datagram is lost, the next poll of
   * any worker finds the row. Rings within one iteration of the event loop share a datagram.
   *
   * @param hints the queues that have something new. An empty list rings nobody. Without the list the workers search all queues
   */
  ring(hints?: readonly Hint[]): void {
    if (hints?.length === 0) return
    if (!hints) this.#isAnywhere = true
    const isFirst = this.#lines === undefined
    this.#lines ??= new Set()
    for (const hint of hints ?? []) this.#lines.add(lineOf(hint))
    if (isFirst) setImmediate(() => void this.#send(this.#takeLines()).catch(() => undefined))
  }

  #takeLines(): readonly string[] | undefined {
    const lines = this.#isAnywhere ? undefined : [...(this.#lines ?? [])]
    this.#lines = undefined
    this.#isAnywhere = false
    return lines
  }

  /** Closes the sockets; a ring that comes later sends nothing. */
  close(): void {
    this.#isClosed = true
    for (const socket of this.#sockets.values()) socket.close()
  }

  async #send(lines: readonly string[] | undefined): Promise<void> {
    await this.#refresh()
    if (this.#isClosed) return
    const datagram = this.#sealer.seal(writeHints(lines))
    for (const address of lines ? this.#takeTurns() : this.#addresses) {
      try {
        this.#ringAt(address, datagram)
      } catch {
        // A worker that cannot be rung finds its work at its next poll. The other workers are rung all the same.
      }
    }
  }

  /** The workers whose turn it is. */
  #takeTurns(): readonly string[] {
    const count = Math.min(this.#options.atMost ?? Infinity, this.#addresses.length)
    const first = this.#turnsTaken
    this.#turnsTaken += count
    return Array.from(
      { length: count },
      (_, n) => this.#addresses[(first + n) % this.#addresses.length] ?? '',
    )
  }

  async #refresh(): Promise<void> {
    const nowMs = this.#options.nowMs?.() ?? performance.now()
    if (nowMs - this.#readAtMs < ADDRESSES_FRESH_MS) return
    this.#readAtMs = nowMs
    this.#addresses = await this.#options.listAddresses().catch(() => this.#addresses)
  }

  /** Resolves a name to IPv4 first, because a worker listens on IPv4 if its own host setting is a name. */
  #ringAt(address: string, datagram: Buffer): void {
    const target = parseHostPort(address)
    if (!target) return
    const { host, port } = target
    const ipVersion = isIP(host)
    this.#socketOf(ipVersion === 6 ? 'udp6' : 'udp4').send(datagram, port, host, (error) => {
      if (!error || ipVersion !== 0 || this.#isClosed) return
      this.#socketOf('udp6').send(datagram, port, host, () => undefined)
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

type ListenerParts = {
  readonly secretsKeys: KeyRing
  readonly onRing: (hints: readonly Hint[] | undefined) => void
  readonly onDropped: (reason: DropReason) => void
}

/**
 * Listens for rings on the UDP port. Resolves once the port is bound; close the socket to stop.
 *
 * @param parts `onRing` gets the hints of a ring; undefined: anything may be new. `onDropped` is called for each
 *   datagram that is dropped, with the reason
 */
export function listenForRings(
  host: string,
  port: number,
  { secretsKeys, onRing, onDropped }: ListenerParts,
): Promise<Socket> {
  const opener = new RingOpener(secretsKeys)
  const read = (datagram: Buffer) => {
    const opened = opener.open(datagram)
    if ('dropped' in opened) onDropped(opened.dropped)
    else onRing(readHints(opened.message))
  }
  return new Promise((resolve, reject) => {
    const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4' })
    socket.once('error', reject)
    socket.on('message', read)
    socket.bind(port, host, () => {
      socket.removeListener('error', reject)
      socket.on('error', () => undefined)
      resolve(socket)
    })
  })
}
