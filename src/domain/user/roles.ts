import type { ApiKey, KeyVerdict } from '../key/key.ts'
import { FAMILIES, SCOPES, type Scope } from '../key/scopes.ts'
import type { User, UserRole } from './user.ts'
import { invalid } from '../errors.ts'

const EVERYBODY: readonly UserRole[] = ['admin', 'member']
const ADMINS: readonly UserRole[] = ['admin']

/**
 * The only table of what each role may do in the console. Members read everything, test webhooks, retry, resend and recover
 * deliveries, and have Personal keys of their own. keyRight says which keys a member may have.
 */
const PERMITTED = {
  'keys.read': EVERYBODY,
  'keys.create': EVERYBODY,
  'keys.update': EVERYBODY,
  'keys.rotate': EVERYBODY,
  'keys.revoke': EVERYBODY,
  /** Shared keys, Personal keys of others, and any scope. */
  'keys.any': ADMINS,
  'webhooks.read': EVERYBODY,
  'webhooks.test': EVERYBODY,
  'webhooks.write': ADMINS,
  'webhooks.regenerate_secret': ADMINS,
  /** To see the values of custom headers, which are hidden otherwise. */
  'webhooks.reveal_headers': ADMINS,
  'deliveries.read': EVERYBODY,
  'deliveries.retry': EVERYBODY,
  'deliveries.resend': EVERYBODY,
  /** To begin a recovery, and to stop it. */
  'deliveries.recover': EVERYBODY,
  'events.read': EVERYBODY,
  /** To send an event to a webhook that did not get it, even if its types or its filter exclude the event. */
  'events.send': ADMINS,
  /** Notices about webhooks and about keys. */
  'notices.read': EVERYBODY,
  /** To mark notices as done for the user. */
  'notices.mark': EVERYBODY,
  /** To mark notices as done for all users of the company. */
  'notices.write': ADMINS,
  /** The channels through which the company is told of its notices. */
  'channels.read': ADMINS,
  'channels.write': ADMINS,
  'users.read': EVERYBODY,
  'users.create': ADMINS,
  'users.update': ADMINS,
  'users.remove': ADMINS,
  'audit.read': EVERYBODY,
  /** The filters that the user saved. */
  'filters.read': EVERYBODY,
  'filters.write': EVERYBODY,
  /** What the company requires of its users, such as a second factor. */
  'company.update': ADMINS,
} as const satisfies Readonly<Record<string, readonly UserRole[]>>

export type Action = keyof typeof PERMITTED

/** All actions, in the order of the table. */
export const ACTIONS = Object.keys(PERMITTED) as readonly Action[]

/** Whether the role permits the action. */
export const permits = (role: UserRole, action: Action): boolean => PERMITTED[action].includes(role)

/**
 * Whether the action is allowed while the company is suspended. Users may only read, and take access away: a leaked
 * key, or a user who left, must not get access again when the company is resumed.
 */
export const permitsSuspended = (action: Action): boolean =>
  action.endsWith('.read') || action === 'keys.revoke' || action === 'users.remove'

/** What a role permits. @param isSuspended whether the company is suspended */
export const actionsOf = (role: UserRole, isSuspended = false): Action[] =>
  ACTIONS.filter((action) => permits(role, action) && (!isSuspended || permitsSuspended(action)))

/** The facts that decide which keys a user may have. */
export type KeyHolder = Pick<User, 'id' | 'role' | 'allowedScopes'>

/**
 * The scopes that an admin can allow a member: the write scopes of single families. write:all and admin:all are not
 * among them.
 */
export const ALLOWABLE_SCOPES: readonly Scope[] = FAMILIES.map((family): Scope => `write:${family}`)

/** The scopes that a user may give to a key: an admin all, a member the read scopes and the allowed scopes. */
export const grantableScopes = ({ role, allowedScopes }: KeyHolder): Scope[] =>
  SCOPES.filter(
    (scope) =>
      permits(role, 'keys.any') ||
      scope.startsWith('read:') ||
      (ALLOWABLE_SCOPES.includes(scope) && allowedScopes.includes(scope)),
  )

/** Which of the scopes the user may not give to a key. */
export function scopesBeyond(holder: KeyHolder, scopes: readonly string[]): string[] {
  const grantable = new Set<string>(grantableScopes(holder))
  return scopes.filter((scope) => !grantable.has(scope))
}

/**
 * Whether a user may create such a key, or change it. A member may have only Personal keys of their own.
 *
 * @param scopes the scopes of the key after a change that sets or widens them; empty for other changes, such as a new name
 */
export function keyRight(
  holder: KeyHolder,
  key: Pick<ApiKey, 'type' | 'userId'>,
  scopes: readonly string[],
): KeyVerdict {
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
 * Checks the scopes that an admin allows a member. Repeats are dropped.
 *
 * @throws ApiError VALIDATION_ERROR that names the text that cannot be allowed
 */
export function checkAllowedScopes(scopes: readonly string[]): Scope[] {
  const wrong = scopes.find((scope) => !ALLOWABLE_SCOPES.some((allowable) => allowable === scope))
  if (wrong === undefined) return ALLOWABLE_SCOPES.filter((scope) => scopes.includes(scope))
  throw invalid(
    `${JSON.stringify(wrong.slice(0, 100))} cannot be allowed to a member. These can: ${ALLOWABLE_SCOPES.join(', ')}.`,
  )
}
