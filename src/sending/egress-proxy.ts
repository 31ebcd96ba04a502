import { connect as connectTcp, type Socket } from 'node:net'
import type { AttemptError } from '../domain/delivery/outcome.ts'
import { formatHostPort } from '../domain/net/host-port.ts'
import { hostOf } from '../domain/webhook/url.ts'
import { startDeadline } from './deadline.ts'
import { UnreachableError, WorkerFault, workerFaultIn } from './failures.ts'
import { createOpenTls, untilReady, type OpenTls } from './sockets.ts'

/** Addresses of one name that are tried, each with its share of the time. */
const MOST_TRIED = 3
const MAXIMUM_HEAD_BYTES = 16_384
/** An address at which nobody can be reached. A proxy that works says so at once. */
const NOWHERE = '0.0.0.0:443'
/** Time of a probe that no attempt waits for. */
const PROBE_MS = 2_000

/**
 * The operator's HTTP proxy, through which all requests to addresses of customers go. It is asked by CONNECT for a tunnel to an
 * address that was checked before, and never to a name. Where the proxy does not work, the fault is ours.
 */
export class EgressProxy {
  readonly #url: URL
  readonly #authorization: string
  readonly #openTls: OpenTls | undefined
  #wasUp = true
  #answeredAtMs = -Infinity
  #isProbing = false

  /**
   * @param url `http://user:password@host:port`, or `https://`; user and password, percent-encoded, and port may be missing
   * @param ca certificates (PEM) to trust beside the public ones
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
   * Opens a tunnel to one of the addresses. It tries up to 3, one after the other.
   *
   * @throws UnreachableError when the last one cannot be reached, with `blocked_address` when the proxy's rules refuse it;
   *   WorkerFault
   */
  async connect(
    addresses: readonly string[],
    port: number,
    withinMs: number,
    signal: AbortSignal,
  ): Promise<Socket> {
    const startedAtMs = performance.now()
    const [host = '', ...others] = addresses.slice(0, MOST_TRIED)
    try {
      return await this.#open(formatHostPort({ host, port }), withinMs / (others.length + 1), signal)
    } catch (error) {
      if (!(error instanceof UnreachableError) || others.length === 0 || signal.aborted) throw error
      return this.connect(others, port, withinMs - (performance.now() - startedAtMs), signal)
    }
  }

  /** Whether the proxy answered the latest time. If it did not, starts a probe and does not wait for it. */
  isUp(): boolean {
    if (!this.#wasUp) void this.#probe(PROBE_MS)
    return this.#wasUp
  }

  /**
   * A proxy may wait longer for a silent endpoint than we wait for the proxy. So after half of the time it is asked for something
   * else. If it answers anybody after that, it works, and the silence is the endpoint's.
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

  /** @throws UnreachableError when the proxy refuses, or says nothing in time; WorkerFault when it does not work */
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

/** The proxy works and opens no tunnel to this address. */
class RefusedTunnel extends UnreachableError {
  constructor(status: number) {
    super(REASONS[status] ?? 'connect_error')
  }
}

/** Smokescreen says 407 where its rules refuse an address. */
const REASONS: Readonly<Record<number, AttemptError>> = {
  403: 'blocked_address',
  407: 'blocked_address',
  504: 'connect_timeout',
}

/** Statuses that tell nothing of the endpoint: the server knows no CONNECT (405, 501), or we ask for too much (429). */
const OUR_FAULTS: readonly number[] = [405, 429, 501]

/** @throws Error when this is no answer of a proxy that lets us in */
function statusOf(head: string): number {
  const status = Number(/^HTTP\/1\.[01] ([2-5]\d\d)(?: |\r|$)/.exec(head)?.[1])
  if (Number.isNaN(status)) throw new Error('The egress proxy does not speak HTTP/1.1.')
  // A 407 that wants credentials has to name their scheme (RFC 9110, 15.5.8).
  const wantsCredentials = status === 407 && /^proxy-authenticate:/im.test(head)
  if (wantsCredentials || OUR_FAULTS.includes(status)) throw new Error(`The egress proxy answered ${status}.`)
  return status
}

/** Reads the head of an answer. What comes behind it stays in the socket. @param signal ends the socket */
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
