import { Readable } from 'node:stream'
import type { Context } from 'koa'

const PIECE_BYTES = 64 * 1024

/**
 * Answers with these bytes. Larger ones go to the connection in pieces, each once the client took the former: TLS would
 * otherwise encrypt all of them at once, which holds others up, and keep that beside the bytes until they are read.
 */
export function answerWithBytes(ctx: Context, bytes: Buffer): void {
  ctx.body = bytes.length > PIECE_BYTES ? Readable.from(piecesOf(bytes)) : bytes
  ctx.length = bytes.length
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}
