import type { ErrorCode } from '../errors.ts'

type CheckShape = {
  readonly name: string
  readonly code: ErrorCode
  /**
   * Whether this check comes before the check `rate`, and a call with a valid key can fail it. DENIED_CALLS_PER_MINUTE
   * limits how many such calls a key may make. Beyond that limit the answer is 429.
   */
  readonly isDenial?: true
}

/**
 * The checks of a request in their order, each with the error code of a request that fails it. The specification leaves the
 * order open (Errors of keys). Our order is: is there a key, is it valid, who may use it, what may it do, what does the
 * request ask for? The comment of each check says why it stands there.
 *
 * Every request that passes `company-not-suspended` counts as usage of its key, even if a later check refuses it. A
 * request that fails a check with `isDenial` spends nothing of the quota of `rate`. It spends the quota of denied
 * calls.
 */
export const CHECKS = [
  // Before the route, so that nobody can find out without a key which paths exist.
  { name: 'authorization', code: 'UNAUTHORIZED' },
  // The form of the key is wrong, so no query is needed.
  { name: 'key-well-formed', code: 'INVALID_API_KEY' },
  // The same answer as to a malformed key, so that callers cannot tell an unknown key from a malformed one.
  { name: 'key-known', code: 'INVALID_API_KEY' },
  // A permanent state, even if the reason is that the owner left. So the answer never changes later.
  { name: 'key-not-revoked', code: 'API_KEY_REVOKED' },
  // A permanent state too, so it comes before disabled: a disabled key can expire as well.
  { name: 'key-not-expired', code: 'API_KEY_EXPIRED' },
  // The last of the key states, because it is the only one that can be undone.
  { name: 'key-enabled', code: 'API_KEY_DISABLED' },
  // After the key's own states, so that a key that will never work again gets the answer of its own state.
  { name: 'company-not-suspended', code: 'API_KEY_DISABLED' },
  // After the key states, so that the holder of a dead key does not learn its allowlist.
  { name: 'ip-allowed', code: 'IP_NOT_ALLOWED', isDenial: true },
  // Before the scope, because the route decides which scope is required.
  { name: 'route', code: 'NOT_FOUND', isDenial: true },
  // Before the scope, because the method decides which scope is required.
  { name: 'method', code: 'METHOD_NOT_ALLOWED', isDenial: true },
  // After the allowlist, so that a thief at another address does not learn the scopes.
  { name: 'scope', code: 'INSUFFICIENT_PERMISSIONS', isDenial: true },
  // After allowlist and scope, so that denied calls do not use up the quota of the key.
  { name: 'rate', code: 'RATE_LIMITED' },
  // Before the body is read, so that a refusal is cheap.
  { name: 'body-size', code: 'PAYLOAD_TOO_LARGE' },
  // Before the body is parsed, so that a refusal is cheap.
  { name: 'media-type', code: 'UNSUPPORTED_MEDIA_TYPE' },
  // Before all checks that need the fields of the body.
  { name: 'body-syntax', code: 'VALIDATION_ERROR' },
  // Only for POST /api-v1-events, where the body names the families to write to.
  { name: 'event-scope', code: 'INSUFFICIENT_PERMISSIONS' },
  // Before the fields are checked, so that a caller who sends the id of another tenant's object does not learn the
  // rules for the fields.
  { name: 'object', code: 'NOT_FOUND' },
  // Before the state, because the state is read only for a request that is valid by itself.
  { name: 'fields', code: 'VALIDATION_ERROR' },
  // The last check: the request is valid, but the present state does not allow it.
  { name: 'state', code: 'INVALID_REQUEST' },
] as const satisfies readonly CheckShape[]

export type Check = (typeof CHECKS)[number]

export type CheckName = Check['name']
