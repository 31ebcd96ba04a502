import { Readable } from 'node:stream'
import type { Context } from 'koa'

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
