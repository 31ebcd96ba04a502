import { once } from 'node:events'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions, type TLSSocket } from 'node:tls'

/** Answers a request by writing raw bytes. `index` counts requests over all connections from 0. */
export type Respond = (socket: TLSSocket, index: number) => void

/** A server on loopback. */
export type LoopbackServer = {
  readonly port: number
  /** TCP connections opened so far. */
  readonly connectionCount: () => number
  readonly close: () => Promise<void>
}

/** A TLS server that shows the raw bytes of each request and lets the test write the raw answer. */
export type RawEndpoint = LoopbackServer & {
  readonly url: string
  /** Each request with head and body, as latin-1. */
  readonly requests: readonly string[]
  /** Sockets that finished the handshake, in order. Closed sockets stay in the list. */
  readonly sockets: readonly TLSSocket[]
}

/** A complete answer with the headers and body given. */
export const answer = (status: number, body = '', headers: readonly string[] = []): string =>
  [`HTTP/1.1 ${status} Test`, `content-length: ${Buffer.byteLength(body)}`, ...headers, '', body].join('\r\n')

/** A status line and headers, to which a test may append more. */
export const head = (status: number, ...headers: string[]): string =>
  [`HTTP/1.1 ${status} Test`, ...headers, '', ''].join('\r\n')

/** Writes as fast as the peer reads until the connection ends. */
export function writeForever(socket: Socket, chunk: string | Buffer): void {
  const write = () => {
    while (!socket.destroyed && socket.write(chunk)) continue
  }
  socket.on('drain', write)
  write()
}

/** Writes the text every `periodMs` milliseconds until the connection ends. */
export function writeEvery(socket: TLSSocket, periodMs: number, text: string): void {
  const timer = setInterval(() => socket.write(text), periodMs)
  socket.on('close', () => clearInterval(timer))
}

export async function startRawEndpoint(tls: TlsOptions, respond: Respond): Promise<RawEndpoint> {
  const requests: string[] = []
  const sockets: TLSSocket[] = []
  const server = createTlsServer(tls, (socket) => {
    sockets.push(socket)
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (!isWhole(text)) return
      requests.push(text)
      text = ''
      respond(socket, requests.length - 1)
    })
  })
  const listening = await listen(server)
  return { ...listening, url: `https://127.0.0.1:${listening.port}/hook`, requests, sockets }
}

/** A TCP server that passes each connection to the test. */
export const startTcpServer = (onConnection: (socket: Socket) => void) =>
  listen(createTcpServer(onConnection))

async function listen(server: Server): Promise<LoopbackServer> {
  const open = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)))
  })
  server.on('tlsClientError', () => undefined)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connectionCount: () => connections,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

function isWhole(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n')
  const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0)
  return headEnd >= 0 && text.length >= headEnd + 4 + length
}
