import type { ErrorCode } from '../errors.js'

type CheckShape = {
  readonly name: string
  readonly code: ErrorCode
  readonly why: string
  /**
   * A call with a valid key fails this check before the rate limit. DENIED_CALLS_PER_MINUTE limits such calls of a key;
   * beyond it the answer is 429.
   */
  readonly isDenial?: true
}

/**
 * The checks of a request in their order, each with the error code of a request that fails it. The specification leaves
 * the order open (Errors of keys). Our order: is there a key, is it valid, who may use it, what may it do, what does the
 * request ask for? `why` gives the reason for a check's place in the order.
 *
 * Every request that passes `key-enabled` counts as usage of its key, even if a later check refuses it. A request that
 * fails a check with `isDenial` spends nothing of the quota of `rate`. It spends another quota, that of denied calls.
 */
export const CHECKS = [
  {
    name: 'authorization',
    code: 'UNAUTHORIZED',
    why: 'No key was presented; before routing, so that unknown paths do not map the API.',
  },
  { name: 'key-well-formed', code: 'INVALID_API_KEY', why: 'Refused by its form alone, without a query.' },
  {
    name: 'key-known',
    code: 'INVALID_API_KEY',
    why: 'The same bytes as malformed, so that neither is an oracle.',
  },
  {
    name: 'key-not-revoked',
    code: 'API_KEY_REVOKED',
    why: 'Permanent (owner left included), so that the answer never changes later.',
  },
  {
    name: 'key-not-expired',
    code: 'API_KEY_EXPIRED',
    why: 'A disabled key expires too, so this beats disabled.',
  },
  { name: 'key-enabled', code: 'API_KEY_DISABLED', why: 'Reversible, so the weakest of the key states.' },
  {
    name: 'ip-allowed',
    code: 'IP_NOT_ALLOWED',
    why: 'Who may use the key at all; after its state, so that a dead key learns nothing of its allowlist.',
    isDenial: true,
  },
  { name: 'route', code: 'NOT_FOUND', why: 'The required scope depends on the route.', isDenial: true },
  {
    name: 'method',
    code: 'METHOD_NOT_ALLOWED',
    why: 'The required scope depends on the method.',
    isDenial: true,
  },
  {
    name: 'scope',
    code: 'INSUFFICIENT_PERMISSIONS',
    why: 'After the allowlist, so that a thief elsewhere does not learn the scopes.',
    isDenial: true,
  },
  {
    name: 'rate',
    code: 'RATE_LIMITED',
    why: 'After allowlist and scope, so that refused calls do not spend the quota of the owner.',
  },
  { name: 'body-size', code: 'PAYLOAD_TOO_LARGE', why: 'Cheap: before the body is read.' },
  { name: 'media-type', code: 'UNSUPPORTED_MEDIA_TYPE', why: 'Cheap: before the body is parsed.' },
  { name: 'body-syntax', code: 'VALIDATION_ERROR', why: 'Nothing of the body can be read before it parses.' },
  {
    name: 'event-scope',
    code: 'INSUFFICIENT_PERMISSIONS',
    why: 'POST /api-v1-events only: the body names the family that is written to, not the route.',
  },
  { name: 'object', code: 'NOT_FOUND', why: 'Before the fields: a foreign object shows none of its rules.' },
  { name: 'fields', code: 'VALIDATION_ERROR', why: 'The request must make sense before the state is asked.' },
  { name: 'state', code: 'INVALID_REQUEST', why: 'A well-formed request that the object cannot follow now.' },
] as const satisfies readonly CheckShape[]

export type Check = (typeof CHECKS)[number]

export type CheckName = Check['name']
