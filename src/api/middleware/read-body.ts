import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import bodyParser from 'koa-bodyparser'
import type { Context, Middleware } from 'koa'
import { ApiError, invalid } from '../../domain/errors.ts'
import { checkJsonShape } from '../../domain/fields/storable.ts'
import { BODY_LIMIT_BYTES, BODY_TOO_LARGE } from '../edge/body-limits.ts'

const JSON_TYPE = 'application/json'

/** Makes the parser return one character for each byte. If it read UTF-8, it would silently replace invalid bytes by U+FFFD. */
const BYTES = { enableTypes: ['text'], extendTypes: { text: [JSON_TYPE] }, encoding: 'binary' }

const readBytes: Middleware = bodyParser({
  ...BYTES,
  textLimit: String(BODY_LIMIT_BYTES),
  onerror: (error, ctx) => {
    // A decoder that failed leaves the rest of the body unread. Drop the rest, so that the next request can be read.
    ctx.req.unpipe()
    ctx.req.resume()
    const { status } = error as { status?: number }
    if (status === 413) throw tooLarge()
    if (status === 415) throw unknownEncoding()
    throw ctx.get('Content-Encoding') === '' ? malformed() : undecodable()
  },
})

const malformed = () => invalid('The request body is not valid JSON.')
const undecodable = () => invalid('The request body could not be decoded as its Content-Encoding says.')
const tooLarge = () => new ApiError('PAYLOAD_TOO_LARGE', BODY_TOO_LARGE)
const unknownEncoding = () =>
  new ApiError(
    'UNSUPPORTED_MEDIA_TYPE',
    'The request body must come plain or with one Content-Encoding of gzip, deflate and br.',
  )

/**
 * Reads a JSON object from the request. It refuses in this order: a large Content-Length (413), a wrong type or
 * encoding (415), a body that is too large (413), and a body that cannot be decoded or is not a JSON object we can
 * store (400).
 *
 * @throws ApiError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR
 */
export async function readBody(ctx: Context): Promise<unknown> {
  if (Number(ctx.get('Content-Length')) > BODY_LIMIT_BYTES) throw tooLarge()
  if (!isJson(ctx)) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The request body must be application/json in UTF-8.')
  }
  inviteBody(ctx.res)
  // The parser would fail on parameters of the Content-Type that do not matter.
  ctx.req.headers['content-type'] = JSON_TYPE
  // Names of content codings have no case, and x-gzip means gzip (RFC 9110, 8.4.1). The parser knows neither.
  const coding = ctx.get('Content-Encoding').toLowerCase()
  if (coding !== '') ctx.req.headers['content-encoding'] = coding === 'x-gzip' ? 'gzip' : coding
  await readBytes(ctx, () => Promise.resolve())
  const body = parse(decode((ctx.request as { rawBody?: string }).rawBody ?? ''))
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('The request body must be a JSON object.')
  }
  checkJsonShape(body)
  return body
}

/**
 * Reads the body of a route that takes none. An empty body passes with any Content-Type. {@link readBody} reads any
 * other body, with the same errors in the same order.
 *
 * @returns `{}` for an empty body
 * @throws what readBody throws
 */
export async function readOptionalBody(ctx: Context): Promise<unknown> {
  if (Number(ctx.get('Content-Length')) > BODY_LIMIT_BYTES) throw tooLarge()
  return (await isEmpty(ctx)) ? {} : readBody(ctx)
}

/** The length of a chunked body is unknown, so this waits for its first byte or its end. */
async function isEmpty({ req, res }: Context): Promise<boolean> {
  if (req.headers['transfer-encoding'] === undefined) return Number(req.headers['content-length'] ?? 0) === 0
  inviteBody(res)
  const firstByte = await readByte(req, res)
  if (firstByte === undefined) return true
  req.unshift(firstByte)
  return false
}

/**
 * @returns undefined at the end of the body
 * @throws ApiError VALIDATION_ERROR if the rest will not come, because the request was answered before, or its connection broke
 */
async function readByte(request: IncomingMessage, response: ServerResponse): Promise<Buffer | undefined> {
  for (;;) {
    const byte = request.read(1) as Buffer | null
    if (byte !== null) return byte
    if (request.complete) return undefined
    if (request.destroyed || response.writableEnded) throw malformed()
    await moreOrNothing(request, response)
  }
}

/** Waits until the body goes on or ends (Node emits `readable` for both), or until nothing more can come. */
async function moreOrNothing(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const waiting = new AbortController()
  const { signal } = waiting
  try {
    await Promise.race([once(request, 'readable', { signal }), once(response, 'close', { signal })])
  } catch {
    // The connection broke. The caller sees that from the state of the request.
  } finally {
    waiting.abort()
  }
}

function isJson(ctx: Context): boolean {
  const [type = '', ...parameters] = ctx.get('Content-Type').toLowerCase().split(';')
  const charsets = parameters.map((part) => part.trim()).filter((part) => /^charset\s*=/.test(part))
  return (
    type.trim() === JSON_TYPE &&
    charsets.length <= 1 &&
    charsets.every((charset) => /^charset="?utf-8"?$/.test(charset))
  )
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: string): string {
  try {
    return utf8.decode(Buffer.from(bytes, 'binary'))
  } catch (error) {
    throw invalid('The request body is not valid UTF-8.', error)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed()
  }
}

/** Responses to clients that wait for 100 Continue, with `shouldKeepAlive` as it was before closeUnlessInvited cleared it. */
const uninvited = new WeakMap<ServerResponse, boolean>()

/**
 * Notes that the client sends its body only when asked (`Expect: 100-continue`). If we answer without asking, the
 * connection ends, because nobody can know whether the body still comes (RFC 9110, section 10.1.1).
 */
export function closeUnlessInvited(response: ServerResponse): void {
  uninvited.set(response, response.shouldKeepAlive)
  response.shouldKeepAlive = false
}

/** Asks for the body if the client waits to send it: 100 Continue. */
function inviteBody(response: ServerResponse): void {
  const wouldKeepAlive = uninvited.get(response)
  if (wouldKeepAlive === undefined) return
  uninvited.delete(response)
  response.shouldKeepAlive = wouldKeepAlive
  response.writeContinue()
}
