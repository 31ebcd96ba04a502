import { ApiError } from '../errors.ts'
import type { ApiKey } from '../key/key.ts'
import { FAMILIES, SCOPES, type Scope } from '../key/scopes.ts'
import { permits } from './roles.ts'
import type { User } from './user.ts'

/** What decides which keys a user may have. */
export type KeyHolder = Pick<User, 'id' | 'role' | 'allowedScopes'>

/** The scopes that an admin can allow a member: those that write to one family. Never write:all or admin:all. */
export const ALLOWABLE_SCOPES: readonly Scope[] = FAMILIES.map((family): Scope => `write:${family}`)

/** The scopes that a user may give to a key: all for an admin; for a member the read scopes and the allowed ones. */
export const grantableScopes = ({ role, allowedScopes }: KeyHolder): Scope[] =>
  SCOPES.filter(
    (scope) => permits(role, 'keys.any') || scope.startsWith('read:') || isAllowed(allowedScopes, scope),
  )

const isAllowed = (allowed: readonly Scope[], scope: Scope): boolean =>
  ALLOWABLE_SCOPES.includes(scope) && allowed.includes(scope)

/** The scopes of a key that are wider than its holder may give to one. */
export function scopesBeyond(holder: KeyHolder, scopes: readonly string[]): string[] {
  const grantable = new Set<string>(grantableScopes(holder))
  return scopes.filter((scope) => !grantable.has(scope))
}

type KeyRight = { readonly kind: 'allowed' } | { readonly kind: 'refused'; readonly message: string }

/**
 * Whether a user may create or change such a key. A member has only Personal keys of their own.
 *
 * @param scopes those that the key has after a change that sets or widens them; none for any other change, such as a new
 * name
 */
export function keyRight(
  holder: KeyHolder,
  key: Pick<ApiKey, 'type' | 'userId'>,
  scopes: readonly string[],
): KeyRight {
  if (permits(holder.role, 'keys.any')) return { kind: 'allowed' }
  if (key.type !== 'Personal' || key.userId !== holder.id) {
    return { kind: 'refused', message: 'Your role permits only Personal keys of your own: ask an admin.' }
  }
  const beyond = scopesBeyond(holder, scopes)
  if (beyond.length === 0) return { kind: 'allowed' }
  return {
    kind: 'refused',
    message: `You may not give a key ${beyond.join(', ')}: an admin can allow you single write scopes.`,
  }
}

/**
 * The scopes that an admin allows a member. Repeats are dropped.
 *
 * @throws ApiError VALIDATION_ERROR that names the text which cannot be allowed
 */
export function checkAllowedScopes(scopes: readonly string[]): Scope[] {
  const wrong = scopes.find((scope) => !ALLOWABLE_SCOPES.some((allowable) => allowable === scope))
  if (wrong === undefined) return ALLOWABLE_SCOPES.filter((scope) => scopes.includes(scope))
  throw new ApiError(
    'VALIDATION_ERROR',
    `${JSON.stringify(wrong.slice(0, 100))} cannot be allowed to a member. These can: ${ALLOWABLE_SCOPES.join(', ')}.`,
  )
}
