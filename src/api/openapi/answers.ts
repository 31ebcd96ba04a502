import type { AnyRoute } from '../routing/route.ts'
import type { JsonSchema, SchemaWriter } from './json-schema.ts'

/** Headers of answers, as `components.headers`. */
export const HEADERS = {
  RequestId: {
    description:
      'Names the request in the logs of the service: the X-Request-Id of the request, or a new one.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'What is left of the quota of the key: `r` requests for `t` seconds. Absent without a limit.',
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
export const headersNamed = (...names: HeaderName[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [WIRE_NAMES[name], { $ref: `#/components/headers/${name}` }]))

/** The successful answers of an endpoint. */
export const answersOf = ({ method, answers }: AnyRoute, writer: SchemaWriter): JsonSchema =>
  Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, hasEtag }]) => [
      status,
      {
        description,
        headers: headersNamed(
          ...(['RequestId', 'RateLimit', 'RateLimitPolicy'] as const),
          ...(hasEtag ? (['ETag'] as const) : []),
          ...(method === 'POST' ? (['IdempotentReplayed'] as const) : []),
        ),
        content: { 'application/json': { schema: writer.write(schema, 'answer') } },
      },
    ]),
  )
