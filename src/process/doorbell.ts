import { createSocket, type Socket, type SocketType } from 'node:dgram'
import { isIP } from 'node:net'
import { parseHostPort } from '../domain/net/host-port.ts'

/** How long the addresses of the workers are used before they are read again. */
const ADDRESSES_FRESH_MS = 1_000

/** A queue of the outbox that has something new. It says where to look; whoever gets it may claim nothing by it. */
export type Hint = { readonly companyId: string; readonly queue: string }

/** A datagram with more hints could be cut on its way. It then says only that there is something new. */
const MOST_HINTS = 12
const RING = 'ring'
/** A line of a datagram with hints. */
const HINT = /^(com_[0-9a-f-]{36}) (whk_[0-9a-f-]{36})$/

type Options = {
  /** Addresses `host:port` of the live workers, from their heartbeats. Each comes unchecked from a worker's settings. */
  readonly listAddresses: () => Promise<string[]>
  /** The clock, in milliseconds; a test's own. */
  readonly nowMs?: () => number
}

/** Rings the workers after a commit, so that their relay claims at once and not at its next poll. */
export class Doorbell {
  readonly #listAddresses: Options['listAddresses']
  readonly #nowMs: () => number
  readonly #sockets = new Map<SocketType, Socket>()
  #addresses: string[] = []
  #readAtMs = -Infinity
  /** Where the workers should look, by line; undefined when nobody rings now. */
  #hints: Map<string, Hint> | undefined
  #isAnywhere = false
  #isClosed = false

  constructor({ listAddresses, nowMs = () => performance.now() }: Options) {
    this.#listAddresses = listAddresses
    this.#nowMs = nowMs
  }

  /**
   * Sends each worker one datagram; never fails, never waits. If it is lost, the worker's next poll finds the row.
   * Several rings within one iteration of the event loop are sent as one.
   *
   * @param hints the queues that have something new, none of them: nobody is rung; without them a worker searches
   */
  ring(hints?: readonly Hint[]): void {
    if (hints?.length === 0) return
    if (!hints) this.#isAnywhere = true
    const isFirst = this.#hints === undefined
    this.#hints ??= new Map()
    for (const hint of hints ?? []) this.#hints.set(lineOf(hint), hint)
    if (isFirst) setImmediate(() => void this.#send(this.#takeMessage()).catch(() => undefined))
  }

  #takeMessage(): string {
    const lines = [...(this.#hints?.keys() ?? [])]
    const message = this.#isAnywhere || lines.length > MOST_HINTS ? RING : lines.join('\n')
    this.#hints = undefined
    this.#isAnywhere = false
    return message
  }

  /** Closes the sockets; a ring that comes later sends nothing. */
  close(): void {
    this.#isClosed = true
    for (const socket of this.#sockets.values()) socket.close()
  }

  async #send(message: string): Promise<void> {
    await this.#refresh()
    if (this.#isClosed) return
    for (const address of this.#addresses) {
      try {
        this.#ringAt(address, message)
      } catch {
        // One worker that cannot be rung finds its work at its next poll; the others are rung all the same.
      }
    }
  }

  async #refresh(): Promise<void> {
    if (this.#nowMs() - this.#readAtMs < ADDRESSES_FRESH_MS) return
    this.#readAtMs = this.#nowMs()
    this.#addresses = await this.#listAddresses().catch(() => this.#addresses)
  }

  /** Resolves a name to IPv4 first, because a worker listens on IPv4 when it is given a name. */
  #ringAt(address: string, message: string): void {
    const target = parseHostPort(address)
    if (!target) return
    const { host, port } = target
    const ipVersion = isIP(host)
    this.#socketOf(ipVersion === 6 ? 'udp6' : 'udp4').send(message, port, host, (error) => {
      if (!error || ipVersion !== 0 || this.#isClosed) return
      this.#socketOf('udp6').send(message, port, host, () => undefined)
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

const lineOf = ({ companyId, queue }: Hint): string => `${companyId} ${queue}`

/** The hints of a datagram; undefined when it has none, or is not one of ours. */
function readHints(message: Buffer): Hint[] | undefined {
  const lines = message.toString('latin1').split('\n', MOST_HINTS + 1)
  const hints = lines.flatMap((line) => {
    const [, companyId, queue] = HINT.exec(line) ?? []
    return companyId !== undefined && queue !== undefined ? [{ companyId, queue }] : []
  })
  return hints.length === lines.length && hints.length <= MOST_HINTS ? hints : undefined
}

/**
 * Listens for rings on the UDP port. Resolves once it is bound; close the socket to stop.
 *
 * @param onRing gets the queues that have something new; undefined when any may have
 */
export function listenForRings(
  host: string,
  port: number,
  onRing: (hints: readonly Hint[] | undefined) => void,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4' })
    socket.once('error', reject)
    socket.on('message', (message) => onRing(readHints(message)))
    socket.bind(port, host, () => {
      socket.removeListener('error', reject)
      socket.on('error', () => undefined)
      resolve(socket)
    })
  })
}
