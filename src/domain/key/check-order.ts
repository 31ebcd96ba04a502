import type { ErrorCode } from '../errors.js'

type CheckShape = {
  readonly name: string
  readonly code: ErrorCode
  readonly why: string
  /** A valid key asked for what it may not have. DENIED_CALLS_PER_MINUTE limits these; beyond it the answer is 429. */
  readonly isDenial?: true
}

/**
 * The order in which a request is checked, each check with the code for failing it. The specification leaves it open
 * (Errors of keys). We ask: is there a key, is it alive, who may use it, what may it do, what does the request ask?
 * `why` gives the reason for a check's position. Usage of a key is recorded once `key-enabled` is passed, whatever comes
 * after. Checks that deny come before `rate` and spend none of its quota; they have one of their own (`isDenial`).
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
