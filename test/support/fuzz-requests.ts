import fc from 'fast-check'
import { createDocument } from '../../src/api/openapi/document.ts'
import { routeTable } from '../../src/api/routes/index.ts'
import { EVENT_TYPES } from '../../src/domain/event/types.ts'
import { depsWithoutDatabase } from './deps.ts'
import { examplesOf, operationsOf } from './described.ts'
import { encode, FAMILIES, fields, headerText, nasty, value } from './fuzz-values.ts'
import { words } from './words.ts'

/** A request before ids are put into its path; `KNOWN_contacts` stands for the id of a contact that exists. */
export type FuzzedRequest = {
  readonly method: string
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

const DOCUMENT = createDocument(routeTable(depsWithoutDatabase()), 'http://127.0.0.1')
/** The examples of the description, which the fuzz test damages only a little, so that many of them reach the operations. */
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
export const body = fc.oneof(
  { weight: 5, arbitrary: fields },
  { weight: 3, arbitrary: fc.constantFrom(...RIGHT).map(([, , sent]) => sent ?? {}) },
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

const WRONG_IDS = ['whk_00000000-0000-4000-8000-000000000000', 'con_', '%E0%A4%A', '%00', '.', '..', '%2e%2e']
const id = fc.oneof(
  nasty.map((text) => encode(text)),
  fc.constantFrom(...WRONG_IDS, 'KNOWN_webhooks', 'KNOWN_contacts'),
)
const RESTS = [
  ...['', '/', '/test', '/deliveries', '/regenerate-secret'],
  ...['/deliveries/KNOWN_deliveries/retry', '/deliveries/KNOWN_deliveries/attempts'],
]
const path = fc.oneof(
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...FAMILIES), fc.array(id, { maxLength: 2 }), fc.constantFrom(...RESTS))
      .map(([family, ids, rest]) => `/api-v1-${[family, ...ids].join('/')}${rest}`),
  },
  { weight: 2, arbitrary: fc.constantFrom(...RIGHT.map(([, right]) => right)) },
)

const QUERY_NAMES = words(
  'limit page is_active status cursor event_type event_id response created_after created_before payload',
)
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...QUERY_NAMES), nasty), nasty), { maxLength: 3 })
  .map((pairs) => pairs.map(([name, text]) => `${encode(name)}=${encode(text)}`).join('&'))
/** The cursor of another list, and one with a year that no column holds. */
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

/** Up to two of the headers that the API reads, and a key that is nearly always right. */
const headers = (key: string) => {
  const authorization = fc.oneof(
    { weight: 30, arbitrary: fc.constant(`Bearer ${key}`) },
    { weight: 1, arbitrary: fc.constantFrom('', 'Bearer', `Basic ${key}`, `Bearer ${key}a`) },
    { weight: 1, arbitrary: headerText.map((text) => `Bearer ${text}`) },
  )
  return fc
    .tuple(authorization, fc.array(header, { maxLength: 2 }))
    .map(([own, others]) => ({ ...Object.fromEntries(others), authorization: own }))
}

const METHODS = ['POST', 'POST', 'POST', 'PATCH', 'PATCH', 'GET', 'DELETE', 'PUT', 'OPTIONS', 'HEAD']
/** Any method, path, query and body at once. */
const wild = (key: string): fc.Arbitrary<FuzzedRequest> =>
  fc.record({ method: fc.constantFrom(...METHODS), path, query, body, headers: headers(key) })

/** A valid request with up to two more fields, and sometimes another query. */
const nearlyRight = (key: string): fc.Arbitrary<FuzzedRequest> =>
  fc
    .record({
      right: fc.constantFrom(...RIGHT),
      more: fields,
      count: fc.constantFrom(0, 0, 1, 1, 2),
      query: fc.constantFrom(...RIGHT_QUERIES),
      headers: headers(key),
    })
    .map(({ right: [method, rightPath, sent], more, count, ...rest }) => ({
      ...rest,
      method,
      path: rightPath,
      body: { ...sent, ...Object.fromEntries(Object.entries(more).slice(0, count)) },
    }))

/** Requests with the key, from valid to wholly invalid. */
export const request = (key: string): fc.Arbitrary<FuzzedRequest> => fc.oneof(nearlyRight(key), wild(key))
