import { connect as connectTcp, type Socket } from 'node:net'
import type { AttemptError } from '../domain/delivery/outcome.ts'
import { formatHostPort } from '../domain/net/host-port.ts'
import { hostOf } from '../domain/webhook/url.ts'
import { startDeadline } from './deadline.ts'
import { isBlockedAddress, UnreachableError, WorkerFault, workerFaultIn } from './failures.ts'
import { createOpenTls, untilReady, type OpenTls } from './sockets.ts'

/** At most this many addresses of one name are tried. Each address gets its share of the time. */
const MOST_TRIED = 3
const MAXIMUM_HEAD_BYTES = 16_384
/** An address that nobody can reach. A working proxy says at once that it cannot connect there. */
const NOWHERE = '0.0.0.0:443'
/** The time limit of a probe that no attempt waits for, in milliseconds. */
const PROBE_MS = 2_000

/**
 * The operator's HTTP proxy. All requests to customers' addresses go through it. With CONNECT, the worker asks the
 * proxy for a tunnel to an address that was checked before, and never to a name. If the proxy does not work, the fault
 * is ours.
 */
export class EgressProxy {
  readonly #url: URL
  readonly #authorization: string
  readonly #openTls: OpenTls | undefined
  #wasUp = true
  #answeredAtMs = -Infinity
  #isProbing = false

  /**
   * @param url `http://user:password@host:port`, or the same with `https://`. User and password are percent-encoded.
   *   They may be missing, and so may the port
   * @param ca certificates (PEM) to trust in addition to the public certificates
   */
  constructor(url: string, ca?: string) {
    this.#url = new URL(url)
    const { username, password } = this.#url
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    const basic = Buffer.from(credentials).toString('base64')
    this.#authorization = username === '' ? '' : `Proxy-Authorization: Basic ${basic}\r\n`
    this.#openTls = this.#url.protocol === 'https:' ? createOpenTls(ca) : undefined
  }

  /**
   * Opens a tunnel to one of the addresses. It tries up to 3 addresses in turn.
   *
   * @throws UnreachableError of the last address that the proxy could not reach. If the proxy's rules refuse all
   *   addresses, its reason is `blocked_address`. WorkerFault when the proxy does not work
   */
  async connect(
    addresses: readonly string[],
    port: number,
    withinMs: number,
    signal: AbortSignal,
  ): Promise<Socket> {
    const endMs = performance.now() + withinMs
    const tried = addresses.slice(0, MOST_TRIED)
    let failure: UnreachableError | undefined
    for (const [index, host] of tried.entries()) {
      const shareMs = (endMs - performance.now()) / (tried.length - index)
      try {
        return await this.#open(formatHostPort({ host, port }), shareMs, signal)
      } catch (error) {
        if (!(error instanceof UnreachableError) || signal.aborted) throw error
        // Smokescreen refuses every IPv6 address. That must not hide why the IPv4 address failed.
        if (!failure || !isBlockedAddress(error)) failure = error
      }
    }
    throw failure ?? new UnreachableError('connect_error')
  }

  /** Whether the proxy worked at the latest request. If not, starts a probe and does not wait for its result. */
  isUp(): boolean {
    if (!this.#wasUp) void this.#probe(PROBE_MS)
    return this.#wasUp
  }

  /**
   * A proxy may wait longer for a silent endpoint than we wait for the proxy. So after half of the time we send the
   * proxy a probe. If the proxy answers any request after that moment, it works, and the endpoint is the silent one.
   */
  async #open(authority: string, withinMs: number, outer: AbortSignal): Promise<Socket> {
    const deadline = startDeadline(withinMs, outer)
    let probedAtMs = Infinity
    const halfTime = setTimeout(() => {
      probedAtMs = performance.now()
      void this.#probe(withinMs / 2)
    }, withinMs / 2)
    try {
      return await this.#ask(authority, deadline.signal)
    } catch (error) {
      const isSilence = error instanceof UnreachableError && deadline.signal.aborted
      throw isSilence && this.#answeredAtMs < probedAtMs ? this.#fault(error) : error
    } finally {
      clearTimeout(halfTime)
      deadline.clear()
    }
  }

  async #probe(withinMs: number): Promise<void> {
    if (this.#isProbing) return
    this.#isProbing = true
    const deadline = startDeadline(withinMs)
    await this.#ask(NOWHERE, deadline.signal).then(
      (socket) => socket.destroy(),
      () => undefined,
    )
    deadline.clear()
    this.#isProbing = false
  }

  /**
   * @throws UnreachableError when the proxy refuses the tunnel or does not answer in time; WorkerFault when the proxy
   *   does not work
   */
  async #ask(authority: string, signal: AbortSignal): Promise<Socket> {
    const host = hostOf(this.#url)
    const port = Number(this.#url.port) || (this.#openTls ? 443 : 80)
    let isAsked = false
    let socket: Socket = connectTcp({ host, port, noDelay: true })
    try {
      await untilReady(socket, 'connect', 'connect_error', signal)
      if (this.#openTls) socket = await this.#openTls(socket, host, signal)
      isAsked = true
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${this.#authorization}\r\n`)
      const status = statusOf(await readHead(socket, signal))
      this.#wasUp = true
      this.#answeredAtMs = performance.now()
      if (status < 300) return socket
      throw new RefusedTunnel(status)
    } catch (error) {
      socket.destroy()
      if (error instanceof RefusedTunnel) throw error
      throw isAsked && signal.aborted
        ? new UnreachableError('connect_timeout', { cause: error })
        : this.#fault(error)
    }
  }

  #fault(cause: unknown): WorkerFault {
    const reason = workerFaultIn(cause) ?? 'proxy'
    if (reason === 'proxy') this.#wasUp = false
    return new WorkerFault(reason, { cause })
  }
}

/** The proxy works but opens no tunnel to this address. */
class RefusedTunnel extends UnreachableError {
  constructor(status: number) {
    super(REASONS[status] ?? 'connect_error')
  }
}

/** What a refused tunnel means for the endpoint. The proxy Smokescreen answers 407 when its rules refuse an address. */
const REASONS: Readonly<Record<number, AttemptError>> = {
  403: 'blocked_address',
  407: 'blocked_address',
  504: 'connect_timeout',
}

/** Statuses that say nothing about the endpoint: the server does not support CONNECT (405, 501), or we ask too often (429). */
const OUR_FAULTS: readonly number[] = [405, 429, 501]

/**
 * A 407 that is about us and not about the address. If the proxy wants credentials, it must name the authentication
 * scheme (RFC 9110, 15.5.8). If the configuration of Smokescreen gives us no role, its header X-Smokescreen-Error says
 * so.
 */
const DOES_NOT_KNOW_US = /^(proxy-authenticate:|x-smokescreen-error:.* role cannot be determined)/im

/** Returns the status of the proxy's answer. @throws Error when it is not HTTP/1.1, or the proxy does not serve us */
function statusOf(head: string): number {
  const status = Number(/^HTTP\/1\.[01] ([2-5]\d\d)(?: |\r|$)/.exec(head)?.[1])
  if (Number.isNaN(status)) throw new Error('The egress proxy does not speak HTTP/1.1.')
  if ((status === 407 && DOES_NOT_KNOW_US.test(head)) || OUR_FAULTS.includes(status))
    throw new Error(`The egress proxy answered ${status}.`)
  return status
}

/** Reads the head of an answer. Later bytes stay in the socket. @param signal destroys the socket when it is aborted */
async function readHead(socket: Socket, signal: AbortSignal): Promise<string> {
  signal.addEventListener('abort', () => socket.destroy())
  let bytes = Buffer.alloc(0)
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, chunk])
    const end = bytes.indexOf('\r\n\r\n')
    if (end >= 0) {
      if (bytes.length > end + 4) socket.unshift(bytes.subarray(end + 4))
      return bytes.toString('latin1', 0, end)
    }
    if (bytes.length > MAXIMUM_HEAD_BYTES) throw new Error('The egress proxy answers without end.')
  }
  throw new Error('The egress proxy closed the connection before it answered.')
}
