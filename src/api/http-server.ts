import { readFileSync } from 'node:fs'
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { ErrorCode } from '../domain/errors.js'
import { awaitInvitation } from './expectations.js'
import { createRefusals } from './refusals.js'

type Tls = { readonly certFile: string; readonly keyFile: string }
type Handle = (request: IncomingMessage, response: ServerResponse) => unknown

/** Slow clients: the headers, then the whole request, must have arrived by then; looked at every second. */
const TIMES = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 }
const LIMITS = { ...TIMES, maxHeaderSize: 16 * 1024, requireHostHeader: false }

/**
 * The edge of HTTP: whatever Node would answer by itself, empty or as text, or by closing, is answered in the
 * envelope of the spec instead.
 */
export function createHttpServer(handle: Handle, tls: Tls | undefined): Server {
  const { admit, refuse, refuseLatest } = createRefusals()
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (!admit(request, response)) return
    if (hasOneHost(request)) handle(request, response)
    else refuse(response, 'VALIDATION_ERROR', 'A request needs exactly one Host header.')
  }
  const server = tls
    ? createTlsServer({ ...LIMITS, ...readTls(tls) }, onRequest)
    : createPlainServer(LIMITS, onRequest)
  // Node would invite the body before anything of the request is checked; read-body does it after its own checks.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    awaitInvitation(response)
    onRequest(request, response)
  })
  // Node would answer an unknown expectation with an empty 417; RFC 9110 lets a server ignore it.
  server.on('checkExpectation', onRequest)
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    // Node has let go of this connection, its errors included.
    socket.on('error', () => socket.destroy())
    refuseLatest(socket, 'METHOD_NOT_ALLOWED', 'The method is not allowed here.')
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
    else refuseLatest(socket, ...(CLIENT_ERRORS[error.code ?? ''] ?? MALFORMED))
  })
  return server
}

const readTls = ({ certFile, keyFile }: Tls) =>
  ({ cert: readFileSync(certFile), key: readFileSync(keyFile), minVersion: 'TLSv1.2' }) as const

/** HTTP/1.1 asks for exactly one Host; HTTP/1.0 knows none. */
function hasOneHost({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  return hosts.length === 1 || (hosts.length === 0 && httpVersionMinor === 0)
}

const MALFORMED: [ErrorCode, string] = ['VALIDATION_ERROR', 'The request is not valid HTTP.']

const CLIENT_ERRORS: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The request headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['PAYLOAD_TOO_LARGE', 'The request body is larger than 256 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request took too long to arrive.'],
}
