import fc from 'fast-check'
import { body } from './fuzz-requests.ts'

/** Damaged JSON, or any bytes. */
export const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array)),
  fc
    .tuple(body, fc.nat(), fc.integer({ min: 0, max: 255 }))
    .map(([json, position, byte]) => damage(Buffer.from(JSON.stringify(json)), position, byte)),
)

const LINES = [
  'Host: a; Host: b; Content-Length: 5; Content-Length: 99999999999999999999; Transfer-Encoding: chunked; X',
  'Transfer-Encoding: gzip, chunked; Expect: 100-continue; Connection: upgrade; Upgrade: h2c; TE: trailers',
  'Content-Type: application/json;  folded; : empty; Authorization: Bearer; Connection: close',
]
const STARTS = [
  'GET /api-v1-webhooks HTTP/1.1; POST /api-v1-events HTTP/1.1; GET * HTTP/1.1; OPTIONS * HTTP/1.1',
  'CONNECT a:1 HTTP/1.1; GET http://a/api-v1-webhooks HTTP/1.1; GET /api-v1-webhooks HTTP/1.0; GET ? HTTP/1.1',
  'PRI * HTTP/2.0',
]
/** One of these, or any text. */
const oneOf = (texts: readonly string[], weight: number) =>
  fc.oneof(
    { weight, arbitrary: fc.constantFrom(...texts.flatMap((text) => text.split('; '))) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  )
const [line, start] = [oneOf(LINES, 1), oneOf(STARTS, 4)]

/** Messages that are nearly HTTP or not HTTP at all; some carry the key. */
export const rawMessage = (key: string) =>
  fc
    .tuple(
      start,
      fc.boolean(),
      fc.array(line, { maxLength: 6 }),
      fc.string({ unit: 'binary', maxLength: 80 }),
    )
    .map(([first, isKnown, lines, rest]) => {
      const authorization = isKnown ? [`Authorization: Bearer ${key}`] : []
      return Buffer.from([first, ...authorization, ...lines, '', rest].join('\r\n'))
    })

/** Replaces one byte, or cuts the text there. */
function damage(bytes: Buffer, position: number, byte: number): Buffer {
  if (bytes.length === 0) return bytes
  const at = position % bytes.length
  if (byte === 0) return bytes.subarray(0, at)
  const damaged = Buffer.from(bytes)
  damaged[at] = byte
  return damaged
}
