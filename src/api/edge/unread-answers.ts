import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { OpenRequests } from './open-requests.ts'

export type UnreadLimits = {
  /**
   * How long a client may leave an answer unread, in milliseconds. The client may get up to twice this time, because
   * Node notices only at its second check that nothing was sent since the first.
   */
  readonly idleMs: number
  /** How long a client may take for a whole answer, in milliseconds, even if it reads all the time. */
  readonly wholeMs: number
}

/**
 * Closes connections whose clients do not read, because an unread answer stays in memory as long as its connection.
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

  // The end of keepAliveTimeout comes here too: if `timeout` has a listener, Node leaves the closing to it.
  server.on('timeout', (socket: Socket) => {
    if (requests.earliest(socket)) cut(socket)
    else socket.destroy()
  })

  return (response) => {
    const { socket } = response.req
    if (response.writableFinished || socket.destroyed) return
    // The idle timer starts again with every byte that the client takes or sends. This timer does not.
    const whole = setTimeout(() => cut(socket), wholeMs)
    response.once('close', () => clearTimeout(whole))
    // The idle timer starts with the answer, not with the request, whose work may take longer than `idleMs`.
    socket.setTimeout(idleMs)
    response.once('finish', () => {
      if (requests.earliest(socket)) socket.setTimeout(0)
    })
  }
}

const PIECE_BYTES = 64 * 1024

/**
 * Answers with these bytes. A large answer goes to the connection in pieces. Each piece waits until the client has
 * taken the piece before it. Otherwise TLS would encrypt everything at once. That would hold up other requests, and the
 * result would stay in memory until the client reads it.
 */
export function answerWithBytes(ctx: Context, bytes: Buffer): void {
  ctx.body = bytes.length > PIECE_BYTES ? Readable.from(piecesOf(bytes)) : bytes
  ctx.length = bytes.length
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}
