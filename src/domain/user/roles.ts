import type { UserRole } from './user.ts'

const EVERYBODY: readonly UserRole[] = ['admin', 'member']
const ADMINS: readonly UserRole[] = ['admin']

/**
 * Who may do what in the console: the one table of roles and actions. Members read everything, test webhooks, retry,
 * resend and recover deliveries, and have Personal keys of their own. Which keys these may be is in key-rights.
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
  /** To a webhook that did not get it: what its types or its filter keep from an endpoint goes there. */
  'events.send': ADMINS,
  /** Notices about webhooks and about keys. */
  'notices.read': EVERYBODY,
  /** To be done with notices oneself. */
  'notices.mark': EVERYBODY,
  /** To make notices done for all users of the company. */
  'notices.write': ADMINS,
  /** Where the company is told of its notices. */
  'channels.read': ADMINS,
  'channels.write': ADMINS,
  'users.read': EVERYBODY,
  'users.create': ADMINS,
  'users.update': ADMINS,
  'users.remove': ADMINS,
  'audit.read': EVERYBODY,
  /** The filters that the user keeps. */
  'filters.read': EVERYBODY,
  'filters.write': EVERYBODY,
  /** What the company asks of its users, such as a second factor. */
  'company.update': ADMINS,
} as const satisfies Readonly<Record<string, readonly UserRole[]>>

export type Action = keyof typeof PERMITTED

/** All actions, in the order of the table. */
export const ACTIONS = Object.keys(PERMITTED) as readonly Action[]

/** Whether the role permits the action. */
export const permits = (role: UserRole, action: Action): boolean => PERMITTED[action].includes(role)

/**
 * What may be done while the company is suspended: look, and take access away. A leaked key, or a user who left, must not
 * come back with the resumption.
 */
export const permitsSuspended = (action: Action): boolean =>
  action.endsWith('.read') || action === 'keys.revoke' || action === 'users.remove'

/** What a role permits. @param isSuspended whether the company is suspended */
export const actionsOf = (role: UserRole, isSuspended = false): Action[] =>
  ACTIONS.filter((action) => permits(role, action) && (!isSuspended || permitsSuspended(action)))
