import { once } from 'node:events'
import { createServer, type RequestListener, type Server as HttpServer } from 'node:http'
import { type AddressInfo, type Server, connect, type Socket } from 'node:net'

/** Lets the server listen on a free loopback port unless it already listens. Returns its URL for plain HTTP. */
export async function listenOnLoopback(server: Server): Promise<{ port: number; url: string }> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}` }
}

/** Returns a server's whole answer to one request, and closes the server. */
export const askOnce = (listener: RequestListener, init?: RequestInit): Promise<Response> =>
  askServer(createServer(listener), '', init)

/** The same for a server that the test has made. */
export async function askServer(server: HttpServer, path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch((await listenOnLoopback(server)).url + path, init)
  const body = await response.arrayBuffer()
  server.close().closeAllConnections()
  return new Response(body, response)
}

/** Opens `count` TCP connections to loopback that send nothing. */
export async function openSockets(port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return sockets
}

/** Resolves when the peer has closed all of them. */
export const allClosed = (sockets: readonly Socket[]): Promise<unknown> =>
  Promise.all(sockets.map((socket) => (socket.closed ? Promise.resolve() : once(socket.resume(), 'close'))))
