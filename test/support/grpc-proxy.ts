import { once } from 'node:events'
import type {
  ClientHttp2Session,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2'
import { connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'

/** The error that the proxy answers in place of the server. */
type GrpcRefusal = { readonly code: number; readonly message: string }

/**
 * Starts a gRPC proxy to Temporal on a free loopback port. It forwards every call that the test does not refuse.
 *
 * @param target `host:port`
 */
export async function createGrpcProxyTo(target: string) {
  const upstreams = new Set<ClientHttp2Session>()
  const clients = new Set<ServerHttp2Session>()
  const counts = new Map<string, number>()
  let decide: (method: string) => GrpcRefusal | undefined = () => undefined

  const server = createServer()
  server.on('session', (session) => {
    clients.add(session)
    session.on('error', () => undefined)
    const upstream = connect(`http://${target}`)
    upstreams.add(upstream)
    upstream.on('error', () => session.destroy())
    session.on('close', () => {
      clients.delete(session)
      upstreams.delete(upstream)
      upstream.destroy()
    })
    session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      const method = String(headers[':path']).split('/').at(-1)!
      counts.set(method, (counts.get(method) ?? 0) + 1)
      stream.on('error', () => undefined)
      const refusal = decide(method)
      if (refusal) answer(stream, refusal)
      else passOn(stream, headers, upstream)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    /** `127.0.0.1:port`, for TEMPORAL_ADDRESS. */
    address: `127.0.0.1:${port}`,
    /** Answers the calls that the function refuses with its error. undefined forwards all calls. */
    refuse: (next: typeof decide): void => void (decide = next),
    /** How often a method, such as `StartWorkflowExecution`, was called so far. */
    calls: (method: string): number => counts.get(method) ?? 0,
    async stop(): Promise<void> {
      for (const session of [...clients, ...upstreams]) session.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(stream: ServerHttp2Stream, { code, message }: GrpcRefusal): void {
  stream.resume()
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': `${code}`,
      'grpc-message': encodeURIComponent(message),
    },
    { endStream: true },
  )
}

function passOn(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, upstream: ClientHttp2Session): void {
  const call = upstream.request(headers, { endStream: false })
  let trailers: IncomingHttpHeaders = {}
  call.on('error', () => stream.destroy())
  call.on('trailers', (received: IncomingHttpHeaders) => (trailers = received))
  call.on('response', (received) => {
    const isOnlyHeaders = received['grpc-status'] !== undefined
    stream.respond(received, { endStream: isOnlyHeaders, waitForTrailers: !isOnlyHeaders })
    if (isOnlyHeaders) return
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    call.pipe(stream)
  })
  stream.pipe(call)
  stream.on('close', () => call.destroy())
}
