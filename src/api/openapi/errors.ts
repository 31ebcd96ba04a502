import { ERROR_STATUS, type ErrorCode } from '../../domain/errors.js'
import type { AnyRoute } from '../route.js'
import type { JsonSchema } from './json-schema.js'

/** When a request gets each status. */
const CONDITIONS: Readonly<Record<number, string>> = {
  400: 'A field, a query parameter or the body is not valid, or the object cannot follow the request now.',
  401: 'The API key is missing, malformed, unknown, revoked, expired or disabled.',
  403: 'The key lacks the scope, or its allowlist lacks the address of the request.',
  404: 'There is no such object for this key.',
  409: 'The request conflicts with what is there, or the first request of its Idempotency-Key still runs.',
  412: 'The object changed since: If-Match names another version.',
  413: 'The body is larger than 256 KiB.',
  415: 'The body is not application/json in UTF-8, or has a Content-Encoding other than gzip, deflate or br.',
  422: 'The Idempotency-Key was used with another body.',
  429: 'Too many requests; Retry-After says when to come back.',
  500: 'A fault of the service.',
  503: 'The service is not available at the moment; Retry-After says when to come back.',
}

const codesOf = (status: number): ErrorCode[] =>
  Object.entries(ERROR_STATUS)
    .filter(([, codeStatus]) => codeStatus === status)
    .map(([code]) => code as ErrorCode)

/** The envelope of the spec with the codes of one status. */
function errorSchema(status: number): JsonSchema {
  const properties = { code: { type: 'string', enum: codesOf(status) }, message: { type: 'string' } }
  const error = { type: 'object', properties, required: ['code', 'message'], additionalProperties: false }
  return { type: 'object', properties: { error }, required: ['error'], additionalProperties: false }
}

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds until it is worth another try.', schema: { type: 'string' } },
}

/** `components.responses`: one for each status, named `Error404`. */
export const errorResponses = (): JsonSchema =>
  Object.fromEntries(
    Object.entries(CONDITIONS).map(([status, description]) => [
      `Error${status}`,
      {
        description,
        ...(['429', '503'].includes(status) && { headers: RETRY_AFTER }),
        content: { 'application/json': { schema: errorSchema(Number(status)) } },
      },
    ]),
  )

/** The errors that an endpoint can answer with, as references by status. */
export function errorsOf(route: AnyRoute): JsonSchema {
  const isPost = route.method === 'POST'
  const statuses = [
    ...[400, 401, 403, 429, 500, 503],
    ...(route.subject ? [404] : []),
    ...(isPost ? [409, 422] : []),
    ...(route.hasPrecondition ? [412] : []),
    ...(route.body ? [413, 415] : []),
  ]
  return Object.fromEntries(
    statuses.sort().map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
  )
}
