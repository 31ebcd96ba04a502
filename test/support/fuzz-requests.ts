import fc from 'fast-check'
import { EVENT_TYPES } from '../../src/domain/event/types.ts'
import { encode, FAMILIES, fields, headerText, nasty, RECORDS, value } from './fuzz-values.ts'
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

const WEBHOOK = '/api-v1-webhooks/KNOWN_webhooks'
const DELIVERY = `${WEBHOOK}/deliveries/KNOWN_deliveries`
const EVENT = { event: 'contact.created', data: {} }
/** Valid requests, which the fuzz test damages only a little, so that many of them reach the operations. */
const RIGHT: readonly [method: string, path: string, body?: object][] = [
  ['POST', '/api-v1-webhooks', { name: 'a', url: 'https://example.com/', events: ['contact.deleted'] }],
  ['GET', '/api-v1-webhooks'],
  ['PATCH', WEBHOOK, { name: 'b' }],
  ['PATCH', WEBHOOK, {}],
  ['DELETE', WEBHOOK],
  ['POST', `${WEBHOOK}/regenerate-secret`],
  ['GET', `${WEBHOOK}/deliveries`],
  ['GET', DELIVERY],
  ['GET', `${DELIVERY}/attempts`],
  ['POST', `${DELIVERY}/retry`],
  ['POST', `${DELIVERY}/resend`],
  ['POST', `${WEBHOOK}/recover`, { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }],
  ['GET', `${WEBHOOK}/recoveries`],
  ['GET', `${WEBHOOK}/recoveries/KNOWN_recoveries`],
  ['DELETE', `${WEBHOOK}/recoveries/KNOWN_recoveries`],
  ['GET', '/api-v1-deliveries'],
  ['GET', '/api-v1-events'],
  ['GET', '/api-v1-events/KNOWN_events'],
  ['POST', '/api-v1-events', EVENT],
  ['POST', '/api-v1-events', { events: [EVENT, { event: 'task.created', data: { a: 1 } }] }],
  ['POST', '/api-v1-activities', { type: 'call', subject: 'a' }],
  ...RECORDS.flatMap((family): [string, string, object?][] => [
    ['POST', `/api-v1-${family}`, { name: 'a' }],
    ['GET', `/api-v1-${family}`],
    ['PATCH', `/api-v1-${family}/KNOWN_${family}`, {}],
    ['DELETE', `/api-v1-${family}/KNOWN_${family}`],
  ]),
]

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
  { weight: 2, arbitrary: fc.constantFrom(...RIGHT.map(([, right]) => right), `${WEBHOOK}/test`) },
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
