import type { IncomingHttpHeaders } from 'node:http'

/**
 * What a path does with a request; without any, it answers 200 {"ok":true}. `delayMs` comes before whatever else.
 */
export type Behaviour = {
  /** Default 200, 302 with `redirect`, 500 with `failTimes`. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Wait before answering. */
  readonly delayMs?: number
  /** The first n requests get `status`, the later ones `then` (default 200). */
  readonly failTimes?: number
  readonly then?: number
  /** With failTimes: counts the requests of each value of this header apart. */
  readonly countBy?: 'webhook-id'
  /** Accept the request and never answer. */
  readonly hang?: boolean
  /** Answer with this location. */
  readonly redirect?: string
  /** Close the connection without an answer. */
  readonly reset?: boolean
}

export type ReceivedRequest = {
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Path and query as they came. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly receivedAt: Date
  /** Whether the Standard Webhooks signature is right; undefined when the path has no trusted secret. */
  readonly verified: boolean | undefined
  /** The same for all requests that came over one connection; the first connection is 1. */
  readonly connectionId: number
  /** What it is answered; undefined when it never gets a final status. */
  readonly status: number | undefined
  /** Whether its connection is closed without an answer. */
  readonly isCut: boolean
}

export type ReceiverOptions = {
  /** Default: any free port. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** PEM; both or neither, by default a new self-signed certificate for localhost, 127.0.0.1 and ::1. */
  readonly key?: string
  readonly cert?: string
  /** How a path behaves that was not told; undefined is the default behaviour. */
  readonly behaviourOf?: (path: string) => Behaviour | undefined
  /** Secrets a path trusts besides those it was told. */
  readonly secretsOf?: (path: string) => Promise<readonly string[]>
  /** Called for every request once its body is there. */
  readonly onRequest?: (request: ReceivedRequest) => void
  /** false: requests are only told to `onRequest`, so that a long run does not fill the memory. Default true. */
  readonly isKept?: boolean
}

export type Receiver = {
  readonly port: number
  /** What a client has to trust. */
  readonly caPem: string
  /** `https://127.0.0.1:port` + path; another name of the certificate on request. */
  url(path: string, hostname?: 'localhost' | '127.0.0.1'): string
  /** Tells a path how to behave from now on and starts its count again; undefined restores the default. */
  behave(path: string, behaviour: Behaviour | undefined): void
  /** Adds a secret (`whsec_…`) with which signatures to the path are checked; any of several may fit. */
  trust(path: string, secret: string): void
  /** Forgets the secrets of a path. */
  distrust(path: string): void
  requestsTo(path: string): ReceivedRequest[]
  /**
   * The first request to the path that no earlier call of `next` was given, already there or still to come.
   * @throws Error when none came within timeoutMs (default 10,000)
   */
  next(path: string, options?: { readonly timeoutMs?: number }): Promise<ReceivedRequest>
  /**
   * All requests to the path once there are at least `count`.
   * @throws Error when they did not come within timeoutMs (default 10,000)
   */
  waitFor(path: string, count: number, options?: { readonly timeoutMs?: number }): Promise<ReceivedRequest[]>
  /** Connections that are open now. */
  openConnections(): number
  /** Ends at once, cutting every connection. */
  close(): Promise<void>
}

/**
 * Starts an HTTPS endpoint that records what it gets, checks signatures and behaves as it is told. It can be told over
 * HTTP as well: POST /_control with {path, behaviour?, secret?}; the answer lists what arrived at the path so far.
 */
export function createReceiver(options?: ReceiverOptions): Promise<Receiver>
