import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** Lets the server listen on loopback at a port of its own, unless it does. The URL is that of plain HTTP. */
export async function listenOnLoopback(server: Server): Promise<{ port: number; url: string }> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}` }
}

/** The whole answer to one request, by a server that is closed then. */
export async function askOnce(listener: RequestListener, init: RequestInit = {}): Promise<Response> {
  const server = createServer(listener)
  const response = await fetch((await listenOnLoopback(server)).url, init)
  const body = await response.arrayBuffer()
  server.close()
  server.closeAllConnections()
  return new Response(body, response)
}
