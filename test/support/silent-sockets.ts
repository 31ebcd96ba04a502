import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Opens `count` TCP connections to loopback that send nothing by themselves. */
export async function openSockets(port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return sockets
}

/** Resolves when the other side has closed all of them. */
export const allClosed = (sockets: readonly Socket[]): Promise<unknown> =>
  Promise.all(sockets.map((socket) => (socket.closed ? Promise.resolve() : once(socket.resume(), 'close'))))
