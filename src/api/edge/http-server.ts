import {
  createServer as createPlainServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { ErrorCode } from '../../domain/errors.ts'
import { within } from '../../domain/within.ts'
import { REQUEST_TIMEOUT_MS } from '../../operations/cost-limits.ts'
import {
  readCertificate,
  watchCertificate,
  type CertificateFiles,
  type CertificateOptions,
} from './certificate.ts'
import { Connections, type ConnectionLimits, type CutReason } from './connections.ts'
import { BODY_TOO_LARGE } from './body-limits.ts'
import { headerValues } from './request.ts'
import { OpenRequests } from './open-requests.ts'
import { paceRequests, Turns } from './paced-requests.ts'
import { closeUnlessInvited } from '../middleware/read-body.ts'
import { watchUnread, type UnreadLimits } from './unread-answers.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown

/** Limits for a slow client, in milliseconds. The first two are checked at every `connectionsCheckingInterval`. */
const PARSING = {
  headersTimeout: 10_000,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: 1_000,
  /** In bytes. */
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false,
}

/** How many connections a client may have, and how long it may leave an answer unread. */
export type HttpLimits = ConnectionLimits & UnreadLimits

const DEFAULT_LIMITS: HttpLimits = {
  handshakeMs: 10_000,
  perProcess: 2_000,
  perAddress: 500,
  isTrustedProxy: () => false,
  idleMs: 12_000,
  wholeMs: 60_000,
}

type HttpOptions = CertificateOptions & {
  readonly tls?: CertificateFiles | undefined
  readonly limits?: Partial<HttpLimits>
  /** Called for every connection that a limit closes. */
  readonly onCut?: (reason: CutReason) => void
}

export type HttpServer = {
  readonly server: Server
  /**
   * Accepts no more connections. A connection without a request under way is closed at once, and any other connection
   * after its answers or after `graceMs`. Until then `stop` also waits for requests whose clients have gone, because
   * these still use the database.
   */
  readonly stop: (graceMs: number) => Promise<void>
}

/**
 * The edge of HTTP. By itself Node would answer some bad requests without a body, or as plain text, or close the
 * connection. Here all of them get the error envelope of the specification.
 */
export function createHttpServer(
  handle: Handle,
  { tls, limits: given, onCut = () => undefined, ...certificate }: HttpOptions = {},
): HttpServer {
  const limits = { ...DEFAULT_LIMITS, ...given }
  const openRequests = new OpenRequests()
  const turns = new Turns()
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (!openRequests.add(request, response)) return
    if (hasOneHost(request)) void carryOut(request, response)
    else openRequests.refuse(response, 'VALIDATION_ERROR', 'A request needs exactly one Host header.')
  }
  const server = tls
    ? createTlsServer({ ...PARSING, ...readCertificate(tls) }, onRequest)
    : createPlainServer(PARSING, onRequest)
  if (tls) watchCertificate(server as TlsServer, tls, certificate)
  const connections = new Connections(openRequests, limits, onCut)
  connections.watch(server)
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) =>
    paceRequests(socket, openRequests, turns),
  )
  const underWay = new Set<Promise<unknown>>()
  const watchAnswer = watchUnread(server, openRequests, limits, () => onCut('unread'))
  async function carryOut(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const turn = openRequests.whenFirst(request)
    if (turn) {
      await turn
      // The request was refused while it waited, or an earlier answer ended the connection. Its client would not get
      // the result.
      if (response.writableEnded || !request.socket.writable) return
    }
    const work = Promise.resolve(handle(request, response)).finally(() => underWay.delete(work))
    underWay.add(work)
    await work
    watchAnswer(response)
  }
  // Node would ask for the body before any check of the request. read-body asks for it after its own checks.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    closeUnlessInvited(response)
    onRequest(request, response)
  })
  // Node would answer an unknown expectation with an empty 417. RFC 9110 allows a server to ignore it.
  server.on('checkExpectation', onRequest)
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    // From here on Node handles neither this connection nor its errors.
    socket.on('error', () => socket.destroy())
    openRequests.refuseLatest(socket, 'METHOD_NOT_ALLOWED', 'The method is not allowed here.')
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
    else openRequests.refuseLatest(socket, ...(CLIENT_ERRORS[error.code ?? ''] ?? MALFORMED))
  })
  return { server, stop }

  async function stop(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    connections.closeQuiet()
    const answered = closed.then(() => Promise.allSettled(underWay))
    await within(graceMs, answered, () => connections.destroyAll())
    await closed
  }
}

/** HTTP/1.1 asks for exactly one Host header; HTTP/1.0 does not need it. */
function hasOneHost(request: IncomingMessage): boolean {
  const hosts = headerValues(request, 'host')
  return hosts.length === 1 || (hosts.length === 0 && request.httpVersionMinor === 0)
}

const MALFORMED: [ErrorCode, string] = ['VALIDATION_ERROR', 'The request is not valid HTTP.']

const CLIENT_ERRORS: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The request headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['PAYLOAD_TOO_LARGE', BODY_TOO_LARGE],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request took too long to arrive.'],
}
