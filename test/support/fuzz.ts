import fc from 'fast-check'
import { EVENT_TYPES } from '../../src/domain/event-types.js'

/** The last part of every collection's path. */
export const FAMILIES = [
  'webhooks',
  'events',
  'event-types',
  'contacts',
  'organizations',
  'deals',
  'activities',
  'tasks',
]
const FIELDS = [
  ...[
    'id',
    'name',
    'description',
    'url',
    'events',
    'headers',
    'is_active',
    'max_retries',
    'retry_schedule',
    'event',
  ],
  ...['data', 'email', 'phone', 'domain', 'stage', 'amount', 'currency', 'type', 'subject', 'body', 'due_at'],
  ...['completed', 'custom', 'secret', 'created_at', '__proto__', 'constructor', 'toString', ''],
]

/** Texts that break parsers, databases and logs, besides any text at all. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    ...[
      '\0',
      '\ud800',
      "' OR 1=1 -- ",
      '{{#label}}',
      '${x}',
      '%00',
      '%',
      '../..',
      'a'.repeat(70_000),
      '\r\nX: y',
      '💥',
    ],
    ...['NaN', '1e3', '-0', '0x10', '9007199254740993', '2026-02-30T00:00:00Z', '0000-00-00', 'true', 'null'],
    ...[
      'https://[::1',
      'https://169.254.169.254/',
      'https://a:b@c',
      'javascript:alert(1)',
      'https://example.com/',
    ],
    ...['evt_test_1', 'evt_a', 'read:all', 'a@b', 'example.com', 'EUR', 'call', ...EVENT_TYPES],
  ),
)
const value = fc.oneof(
  { weight: 3, arbitrary: nasty },
  {
    weight: 1,
    arbitrary: fc.constantFrom(null, true, false, 0, -1, 1e308, 1.5, 2 ** 53, 65_536, [], {}, [[]], [null]),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
)
const fields = fc.dictionary(
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...FIELDS) }, { weight: 1, arbitrary: nasty }),
  value,
  {
    maxKeys: 8,
  },
)
/** Bodies that would be accepted, so that the fuzz gets past validation once in a while. */
const ACCEPTED = [
  { name: 'a', url: 'https://example.com/hook', events: ['contact.deleted'] },
  { name: 'a' },
  { name: 'a', email: 'a@example.com' },
  { type: 'call', subject: 'a' },
  { event: 'contact.created', data: {} },
  { events: [{ event: 'task.created', data: { a: 1 } }] },
]
const nearlyAccepted = fc
  .tuple(fc.constantFrom(...ACCEPTED), fields, fc.integer({ min: 0, max: 2 }))
  .map(([accepted, more, count]) => ({
    ...accepted,
    ...Object.fromEntries(Object.entries(more).slice(0, count)),
  }))
/** Bodies of any shape, some of which are right. */
export const body = fc.oneof(
  { weight: 6, arbitrary: nearlyAccepted },
  { weight: 5, arbitrary: fields },
  {
    weight: 2,
    arbitrary: fc.record(
      { event: fc.constantFrom(...EVENT_TYPES), data: fields, id: nasty },
      { requiredKeys: ['event', 'data'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ events: fc.array(fc.oneof(fields, value), { maxLength: 5 }) }) },
  { weight: 1, arbitrary: value },
)
const id = fc.oneof(
  nasty.map((text) => encodeURIComponent(wellFormed(text))),
  fc.constantFrom(
    'whk_00000000-0000-4000-8000-000000000000',
    'con_',
    'KNOWN',
    '%E0%A4%A',
    '%00',
    '.',
    '..',
    '%2e%2e',
  ),
)
const wildPath = fc
  .tuple(
    fc.constantFrom(...FAMILIES),
    fc.array(id, { maxLength: 2 }),
    fc.constantFrom('', '/test', '/deliveries', '/regenerate-secret', '/deliveries/KNOWN/retry', '/'),
  )
  .map(([family, ids, rest]) => `/api-v1-${[family, ...ids].join('/')}${rest}`)
const knownPath = fc
  .constantFrom('', '', '/deliveries', '/regenerate-secret')
  .map((rest) => `/api-v1-webhooks/KNOWN${rest}`)

/** Paths under the API's prefix; `KNOWN` stands for the id of a webhook that exists. */
export const path = fc.oneof(
  { weight: 3, arbitrary: wildPath },
  { weight: 3, arbitrary: knownPath },
  { weight: 5, arbitrary: fc.constantFrom(...FAMILIES).map((family) => `/api-v1-${family}`) },
)

/** Query strings, without the question mark. */
export const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom('limit', 'page', 'is_active', 'status'), nasty), nasty), {
    maxLength: 3,
  })
  .map((pairs) => pairs.map(([name, text]) => `${encode(name)}=${encode(text)}`).join('&'))
/** What a client may put into a header. */
export const headerText = fc.string({ maxLength: 30 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, ''))

/** Half a surrogate pair has no UTF-8; Buffer replaces it. */
const wellFormed = (text: string) => Buffer.from(text).toString()

const encode = (text: string) => encodeURIComponent(wellFormed(text)).slice(0, 2_000)

/** Bytes that once were JSON, or never. */
export const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array)),
  fc
    .tuple(body, fc.nat(), fc.integer({ min: 0, max: 255 }))
    .map(([json, position, byte]) => damage(Buffer.from(JSON.stringify(json)), position, byte)),
)

const line = fc.oneof(
  fc.constantFrom(
    ...[
      'Host: a',
      'Host: b',
      'Content-Length: 5',
      'Content-Length: 99999999999999999999',
      'Transfer-Encoding: chunked',
    ],
    ...[
      'Transfer-Encoding: gzip, chunked',
      'Expect: 100-continue',
      'Connection: upgrade',
      'Upgrade: h2c',
      'TE: trailers',
    ],
    ...[
      'Content-Type: application/json',
      ' folded',
      'X',
      ': empty',
      'Authorization: Bearer',
      'Connection: close',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
)
const start = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'GET /api-v1-webhooks HTTP/1.1',
      'POST /api-v1-events HTTP/1.1',
      'GET * HTTP/1.1',
      'OPTIONS * HTTP/1.1',
      'CONNECT a:1 HTTP/1.1',
      'GET http://a/api-v1-webhooks HTTP/1.1',
      'GET /api-v1-webhooks HTTP/1.0',
      'GET ? HTTP/1.1',
      'PRI * HTTP/2.0',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
)

/** Messages that are HTTP nearly, hardly or not at all; some carry the key. */
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
