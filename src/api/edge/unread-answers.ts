import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { OpenRequests } from './open-requests.js'

export type UnreadLimits = {
  /**
   * How long a client may take nothing of an answer that waits for it. Up to twice as long in practice: Node sees at its
   * second look that nothing went out since the first.
   */
  readonly idleMs: number
  /** How long a client may take for a whole answer, however steadily it reads. */
  readonly wholeMs: number
}

/**
 * Closes connections whose clients do not read: an answer that nobody takes stays in memory as long as its connection.
 *
 * @param onCut is told of each of them
 * @returns a function to call with every answer that was handed to Node
 */
export function watchUnread(
  server: Server,
  exchanges: OpenRequests,
  { idleMs, wholeMs }: UnreadLimits,
  onCut: () => void,
): (response: ServerResponse) => void {
  function cut(socket: Socket): void {
    if (socket.destroyed) return
    onCut()
    socket.destroy()
  }

  // Node's own time-outs, those of connections kept alive, end here too.
  server.on('timeout', (socket: Socket) => {
    if (exchanges.earliest(socket)) cut(socket)
    else socket.destroy()
  })

  return (response) => {
    const { socket } = response.req
    if (response.writableFinished || socket.destroyed) return
    // An idle timer starts anew with every byte that the client sends; this one does not.
    const whole = setTimeout(() => cut(socket), wholeMs)
    response.once('close', () => clearTimeout(whole))
    // Only while an answer is on its way may the connection be called idle: a request may take long to carry out.
    socket.setTimeout(idleMs)
    response.once('finish', () => {
      if (exchanges.earliest(socket)) socket.setTimeout(0)
    })
  }
}
