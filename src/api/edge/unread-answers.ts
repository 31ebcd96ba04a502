import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { OpenRequests } from './open-requests.ts'

export type UnreadLimits = {
  /**
   * How long a client may read nothing of an answer, in milliseconds. In practice it may take twice as long: Node notices
   * only at its second check that nothing went out since the first.
   */
  readonly idleMs: number
  /** How long a client may take for a whole answer, in milliseconds, however steadily it reads. */
  readonly wholeMs: number
}

/**
 * Closes connections whose clients do not read: an answer that nobody takes stays in memory as long as its connection.
 *
 * @param onCut called for each such connection
 * @returns a function to call with every answer that was handed to Node
 */
export function watchUnread(
  server: Server,
  requests: OpenRequests,
  { idleMs, wholeMs }: UnreadLimits,
  onCut: () => void,
): (response: ServerResponse) => void {
  function cut(socket: Socket): void {
    if (socket.destroyed) return
    onCut()
    socket.destroy()
  }

  // The end of keepAliveTimeout comes here too: Node leaves the closing to a listener of `timeout`, if there is one.
  server.on('timeout', (socket: Socket) => {
    if (requests.earliest(socket)) cut(socket)
    else socket.destroy()
  })

  return (response) => {
    const { socket } = response.req
    if (response.writableFinished || socket.destroyed) return
    // The idle timer starts anew with every byte that the client takes or sends; this one does not.
    const whole = setTimeout(() => cut(socket), wholeMs)
    response.once('close', () => clearTimeout(whole))
    // Not before the answer: carrying out a request may take longer than `idleMs`.
    socket.setTimeout(idleMs)
    response.once('finish', () => {
      if (requests.earliest(socket)) socket.setTimeout(0)
    })
  }
}

const PIECE_BYTES = 64 * 1024

/**
 * Answers with these bytes. Large ones go to the connection in pieces, each once the client has taken the one before.
 * Otherwise TLS would encrypt everything at once, which holds up other requests, and keep the result in memory until it
 * is read.
 */
export function answerWithBytes(ctx: Context, bytes: Buffer): void {
  ctx.body = bytes.length > PIECE_BYTES ? Readable.from(piecesOf(bytes)) : bytes
  ctx.length = bytes.length
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}
