import { ERROR_STATUS } from '../../domain/errors.ts'
import { BODY_TOO_LARGE } from '../edge/body-limits.ts'
import type { AnyRoute } from '../routing/route.ts'
import type { JsonSchema, SchemaWriter } from './json-schema.ts'

/** The headers of answers, for `components.headers`. */
export const HEADERS = {
  RequestId: {
    description:
      'Names the request in the logs of the service: the X-Request-Id of the request, or a new one.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'What is left of the quota of the key: `r` requests for `t` seconds. Absent without a limit, and where a request is refused before it counts.',
    schema: { type: 'string', examples: ['"default";r=5999;t=60'] },
  },
  RateLimitPolicy: {
    description: 'The quota of the key: `q` requests in `w` seconds. Absent without a limit.',
    schema: { type: 'string', examples: ['"default";q=6000;w=60'] },
  },
  RetryAfter: {
    description: 'Seconds until it is worth another try.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  ETag: {
    description: 'The version of the configuration, for If-Match. Deliveries do not change it.',
    schema: { type: 'string', examples: ['"1"'] },
  },
  IdempotentReplayed: {
    description: '`true` where the answer repeats that of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  WwwAuthenticate: { description: 'The scheme to use.', schema: { type: 'string', const: 'Bearer' } },
}

type HeaderName = keyof typeof HEADERS

const WIRE_NAMES: Readonly<Record<HeaderName, string>> = {
  RequestId: 'X-Request-Id',
  RateLimit: 'RateLimit',
  RateLimitPolicy: 'RateLimit-Policy',
  RetryAfter: 'Retry-After',
  ETag: 'ETag',
  IdempotentReplayed: 'Idempotent-Replayed',
  WwwAuthenticate: 'WWW-Authenticate',
}

/** References to headers, by their names on the wire. */
const headersNamed = (...names: HeaderName[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [WIRE_NAMES[name], { $ref: `#/components/headers/${name}` }]))

/** Maps each status of a route to its answer. Errors are references to `components.responses`. */
export function answersOf(route: AnyRoute, writer: SchemaWriter): JsonSchema {
  const successes = Object.entries(route.answers).map(([status, { description, schema, hasEtag }]) => [
    status,
    {
      description,
      headers: headersNamed(
        ...(['RequestId', 'RateLimit', 'RateLimitPolicy'] as const),
        ...(hasEtag ? (['ETag'] as const) : []),
        ...(route.method === 'POST' ? (['IdempotentReplayed'] as const) : []),
      ),
      content: { 'application/json': { schema: writer.write(schema, 'answer') } },
    },
  ])
  const errors = errorsOf(route).map((status) => [status, { $ref: `#/components/responses/Error${status}` }])
  return Object.fromEntries([...successes, ...errors]) as JsonSchema
}

/** The statuses of the errors that a route can answer with. */
const errorsOf = ({ method, target, hasPrecondition, refusals = [] }: AnyRoute): number[] => [
  ...[400, 401, 403, 408, 413, 415, 429, 431, 500, 503],
  ...(target ? [404] : []),
  ...(method === 'POST' ? [409, 422] : []),
  ...(hasPrecondition ? [412] : []),
  ...refusals,
]

/** When a request gets each status. */
const CONDITIONS: Readonly<Record<number, string>> = {
  400: 'A field, a query parameter or the body is not valid, or the state of the object does not permit the request.',
  401: 'The API key is missing, malformed, unknown, revoked, expired or disabled.',
  403: 'The key lacks the scope, or its allowlist lacks the address of the request.',
  404: 'There is no such object for this key.',
  408: 'The request took longer than 30 seconds to arrive; the connection ends.',
  409: 'The request conflicts with the stored state, or the first request with its Idempotency-Key still runs.',
  410: 'The cursor is older than the events that are left; the message has the oldest one.',
  412: 'The object changed since: If-Match names another version.',
  413: BODY_TOO_LARGE,
  415: 'The body is not application/json in UTF-8, or has a Content-Encoding other than gzip, deflate or br.',
  422: 'The Idempotency-Key was used with another body.',
  429: 'Too many requests; Retry-After says when to come back.',
  431: 'The request headers are larger than 16 KiB; the connection ends.',
  500: 'A fault of the service.',
  503: 'The service is not available at the moment; Retry-After says when to come back.',
}

const codesOf = (status: number): string =>
  Object.entries(ERROR_STATUS)
    .filter(([, codeStatus]) => codeStatus === status)
    .map(([code]) => `\`${code}\``)
    .join(', ')

/**
 * The specification's error envelope. All statuses share it, so that a generated client has one type of error. The codes
 * are no `enum`, because clients generated from one would fail at a code that a later version adds.
 */
export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', description: 'What is wrong, for programs. Later versions may add codes.' },
        message: { type: 'string', description: 'What is wrong, for people. It may change.' },
      },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
}

/** The headers that errors have in addition to X-Request-Id. */
const ERROR_HEADERS: Readonly<Record<string, Parameters<typeof headersNamed>>> = {
  401: ['WwwAuthenticate'],
  409: ['RetryAfter'],
  429: ['RetryAfter'],
  503: ['RetryAfter'],
}

/** Requests with these errors are refused before they count in the quota of their key. */
const BEFORE_QUOTA: readonly string[] = ['401', '408', '431']

/** `components.responses`: one answer for each status, named like `Error404`. */
export const errorResponses = (): JsonSchema =>
  Object.fromEntries(
    Object.entries(CONDITIONS).map(([status, description]) => [
      `Error${status}`,
      {
        description: `${description} Codes: ${codesOf(Number(status))}.`,
        headers: headersNamed(
          'RequestId',
          ...(BEFORE_QUOTA.includes(status) ? [] : (['RateLimit', 'RateLimitPolicy'] as const)),
          ...(ERROR_HEADERS[status] ?? []),
        ),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ApiError' } } },
      },
    ]),
  )
