import fc from 'fast-check'
import { EVENT_TYPES } from '../../src/domain/event/catalog.ts'
import { words } from './words.ts'
import { createDocument } from '../../src/api/openapi/document.ts'
import { routeTable } from '../../src/api/routes/index.ts'
import { depsWithoutDatabase } from './database.ts'
import { examplesOf, operationsOf } from './described.ts'

/** The last part of every collection's path. */
export const FAMILIES = words(
  'webhooks deliveries events event-types notices contacts organizations deals activities tasks',
)
const FIELDS = words(`
  id name description url events headers is_active max_retries retry_schedule event data email phone domain stage
  amount currency type subject body due_at completed custom secret created_at __proto__ constructor toString
`).concat('')

/** Texts that break parsers, databases and logs, mixed with arbitrary texts. */
export const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    ...words(`
      {{#label}} $\{x} %00 % ../.. 💥 NaN 1e3 -0 0x10 9007199254740993 2026-02-30T00:00:00Z 0000-00-00 true null
      https://[::1 https://169.254.169.254/ https://a:b@c javascript:alert(1) https://example.com/
      evt_test_1 evt_a read:all a@b example.com EUR call
    `),
    ...['\0', '\ud800', "' OR 1=1 -- ", 'a'.repeat(70_000), '\r\nX: y', ...EVENT_TYPES],
  ),
)
/** Any JSON value. */
export const value = fc.oneof(
  { weight: 3, arbitrary: nasty },
  {
    weight: 1,
    arbitrary: fc.constantFrom(null, true, false, 0, -1, 1e308, 1.5, 2 ** 53, 65_536, [], {}, [[]], [null]),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
)
/** Objects with names of real fields and with unknown names. */
const fields = fc.dictionary(
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...FIELDS) }, { weight: 1, arbitrary: nasty }),
  value,
  { maxKeys: 8 },
)

/** Values that a client may put into a header. */
export const headerText = fc
  .string({ unit: 'binary', maxLength: 30 })
  .map((text) => text.replaceAll(/[^\x20-\x7e\x80-\xff]/gu, ''))

/** Half a surrogate pair has no UTF-8 form, so Buffer replaces it. */
const wellFormed = (text: string) => Buffer.from(text).toString()

/** Shortens a path or query. Node itself answers 431 to longer ones, which test/system/http/pipelining.test.ts covers. */
const encode = (text: string) => encodeURIComponent(wellFormed(text)).slice(0, 2_000)

const DOCUMENT = createDocument(routeTable(depsWithoutDatabase()), 'http://127.0.0.1')
/** The examples of the description. The fuzz test damages them only a little, so that many reach the operations. */
const RIGHT = operationsOf(DOCUMENT).flatMap((operation): [method: string, path: string, body?: object][] => {
  const { method, template } = operation
  const path = template
    .replace(/^\/api-v1-(\w+)\/\{id\}/, '/api-v1-$1/KNOWN_$1')
    .replace('{deliveryId}', 'KNOWN_deliveries')
    .replace('{recoveryId}', 'KNOWN_recoveries')
  const bodies = examplesOf(operation)
  return bodies.length === 0 ? [[method, path]] : bodies.map((body) => [method, path, body])
})

/** Bodies of any shape, some of which are valid for some route. */
const body = fc.oneof(
  { weight: 5, arbitrary: fields },
  { weight: 3, arbitrary: fc.constantFrom(...RIGHT).map(([, , sent]) => sent ?? {}) },
  { weight: 2, arbitrary: fc.record({ event: fc.constantFrom(...EVENT_TYPES), data: fields }) },
  fc.record({ events: fc.array(fc.oneof(fields, value), { maxLength: 5 }) }),
  value,
)

const WRONG_IDS = ['whk_00000000-0000-4000-8000-000000000000', 'con_', '%E0%A4%A', '%00', '.', '..', '%2e%2e']
const id = fc.oneof(nasty.map(encode), fc.constantFrom(...WRONG_IDS, 'KNOWN_webhooks', 'KNOWN_contacts'))
const RESTS = [
  '',
  ...words('/ /test /deliveries/KNOWN_deliveries/retry /deliveries/KNOWN_deliveries/attempts'),
]
const path = fc.oneof(
  fc
    .tuple(fc.constantFrom(...FAMILIES), fc.array(id, { maxLength: 2 }), fc.constantFrom(...RESTS))
    .map(([family, ids, rest]) => `/api-v1-${[family, ...ids].join('/')}${rest}`),
  { weight: 2, arbitrary: fc.constantFrom(...RIGHT.map(([, right]) => right)) },
)

const QUERY_NAMES = words(
  'limit page is_active status cursor event_type event_id response created_after created_before payload',
)
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...QUERY_NAMES), nasty), nasty), { maxLength: 3 })
  .map((pairs) => pairs.map(([name, text]) => `${encode(name)}=${encode(text)}`).join('&'))
/** A cursor of another list, and a cursor with a year that no column can store. */
const CURSORS = [
  ['com_1'],
  ['AAAAAAAAAAAA', '+020000-01-01T00:00:00.000Z', 'del_1'],
  ['AAAAAAAAAAAA', '💥', '\0'],
].map((place) => Buffer.from(JSON.stringify(place)).toString('base64url'))
const RIGHT_QUERIES = [
  ...['', '', '', ''],
  ...words(`
    limit=1 limit=100&page=3 page=9007199254740991 limit=0 cursor= status=failed,pending response=none
    event_type=deal.deleted&payload=false event_id=evt_1 created_after=2026-01-01T00:00:00Z
    created_after=2026-01-01T00:00:00Z&created_before=0999-01-01T00:00:00Z
  `),
  ...CURSORS.map((cursor) => `cursor=${cursor}`),
]

const TAGS = ['*', '"1"', 'W/"1"', '"1", "2"', '"']
const header = fc.oneof(
  fc.tuple(fc.constant('idempotency-key'), fc.oneof(headerText, fc.uuid(), fc.constant('again'))),
  fc.tuple(fc.constant('if-match'), fc.oneof(headerText, fc.constantFrom(...TAGS))),
  fc.tuple(fc.constantFrom('x-request-id', 'x-forwarded-for'), headerText),
)

/** Up to two of the headers that the API reads, and a key that is usually valid. */
const headers = (key: string) => {
  const authorization = fc.oneof(
    { weight: 30, arbitrary: fc.constant(`Bearer ${key}`) },
    fc.constantFrom('', 'Bearer', `Basic ${key}`, `Bearer ${key}a`),
    headerText.map((text) => `Bearer ${text}`),
  )
  return fc
    .tuple(authorization, fc.array(header, { maxLength: 2 }))
    .map(([own, others]) => ({ ...Object.fromEntries(others), authorization: own }))
}

const METHODS = words('POST POST POST PATCH PATCH GET DELETE PUT OPTIONS HEAD')
/** Any method, path, query and body at once. */
const wild = (key: string) =>
  fc.record({ method: fc.constantFrom(...METHODS), path, query, body, headers: headers(key) })

/** A valid request with up to two more fields, and sometimes another query. */
const nearlyRight = (key: string) =>
  fc
    .record({
      right: fc.constantFrom(...RIGHT),
      more: fields,
      count: fc.constantFrom(0, 0, 1, 1, 2),
      query: fc.constantFrom(...RIGHT_QUERIES),
      headers: headers(key),
    })
    .map(({ right: [method, rightPath, sent], more, count, ...rest }) => {
      const changed: unknown = { ...sent, ...Object.fromEntries(Object.entries(more).slice(0, count)) }
      return { ...rest, method, path: rightPath, body: changed }
    })

/** Requests with the key, from valid to invalid. `KNOWN_contacts` in a path is the id of an existing contact. */
export const request = (key: string) => fc.oneof(nearlyRight(key), wild(key))

/** Damaged JSON, or arbitrary bytes. */
export const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array)),
  fc.tuple(body, fc.nat(), fc.nat(255)).map(([json, position, byte]) => {
    const text = Buffer.from(JSON.stringify(json))
    const at = position % text.length
    if (byte === 0) return text.subarray(0, at)
    text[at] = byte
    return text
  }),
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
const anyText = (maxLength: number) => fc.string({ unit: 'binary', maxLength })
/** One of these texts, or an arbitrary text. */
const oneOf = (texts: readonly string[], weight: number) =>
  fc.oneof({ weight, arbitrary: fc.constantFrom(...texts.join('; ').split('; ')) }, anyText(60))

/** Messages that are nearly HTTP or not HTTP at all. Some contain the key. */
export const rawMessage = (key: string) =>
  fc
    .tuple(oneOf(STARTS, 4), fc.boolean(), fc.array(oneOf(LINES, 1), { maxLength: 6 }), anyText(80))
    .map(([first, isKnown, lines, rest]) => {
      const authorization = isKnown ? [`Authorization: Bearer ${key}`] : []
      return Buffer.from([first, ...authorization, ...lines, '', rest].join('\r\n'))
    })
