import bodyParser from 'koa-bodyparser'
import type { Context, Middleware } from 'koa'
import { ApiError } from '../../domain/errors.js'
import { inviteBody } from '../expectations.js'

/** Design, payload sizes: request bodies of 256 KiB at most, counted after decompression. */
const LIMIT = '256kb'
const MAXIMUM_DEPTH = 32
const MAXIMUM_NODES = 20_000

const parse: Middleware = bodyParser({
  enableTypes: ['json'],
  jsonLimit: LIMIT,
  strict: true,
  onerror: (error, ctx) => {
    // A decoder that failed leaves the rest of the body unread, and the next request of the connection behind it.
    ctx.req.unpipe()
    ctx.req.resume()
    throw (error as { status?: number }).status === 413
      ? new ApiError('PAYLOAD_TOO_LARGE', 'The request body is larger than 256 KiB.')
      : malformed()
  },
})

const malformed = () => new ApiError('VALIDATION_ERROR', 'The request body is not valid JSON.')

/**
 * Reads a JSON object from the request: 413, 415, then 400, in that order.
 *
 * @throws ApiError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR
 */
export async function readBody(ctx: Context): Promise<unknown> {
  if (Number(ctx.get('Content-Length')) > 256 * 1024) {
    throw new ApiError('PAYLOAD_TOO_LARGE', 'The request body is larger than 256 KiB.')
  }
  if (!isJson(ctx)) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The request body must be application/json in UTF-8.')
  }
  inviteBody(ctx.res)
  await parse(ctx, () => Promise.resolve())
  const { body, rawBody } = ctx.request as { body?: unknown; rawBody?: string }
  if (rawBody === undefined || rawBody.trim() === '') throw malformed()
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError('VALIDATION_ERROR', 'The request body must be a JSON object.')
  }
  checkShape(body)
  return body
}

function isJson(ctx: Context): boolean {
  const [type = '', ...parameters] = ctx.get('Content-Type').toLowerCase().split(';')
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='))
  return type.trim() === 'application/json' && (charset === undefined || /^charset="?utf-8"?$/.test(charset))
}

/** Deep or very wide JSON costs more to walk than to send; nobody needs it here. */
function checkShape(root: object): void {
  let nodes = 0
  const walk = (value: unknown, depth: number): void => {
    if (value === Infinity || value === -Infinity) {
      throw new ApiError('VALIDATION_ERROR', 'The request body has a number that is too large.')
    }
    if (typeof value !== 'object' || value === null) return
    if (depth > MAXIMUM_DEPTH) {
      throw new ApiError(
        'VALIDATION_ERROR',
        `The request body is nested deeper than ${MAXIMUM_DEPTH} levels.`,
      )
    }
    for (const child of Object.values(value)) {
      nodes += 1
      if (nodes > MAXIMUM_NODES) {
        throw new ApiError('VALIDATION_ERROR', `The request body has more than ${MAXIMUM_NODES} values.`)
      }
      walk(child, depth + 1)
    }
  }
  walk(root, 1)
}
