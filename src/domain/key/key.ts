import { createHash, randomInt } from 'node:crypto'
import type { Environment } from '../tenant.ts'
import type { Scope } from './scopes.ts'
import type { UsageSummary } from './usage.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const RANDOM_LENGTH = 32
const PREFIX_LENGTH = 24
const MAXIMUM_HEADER_LENGTH = 256
const WELL_FORMED = /^[a-z0-9]{3,24}_(?:live|test)_[A-Za-z0-9]{32}$/

/** Spec: a Personal key belongs to one user and is revoked when that user leaves. A Shared key depends on no user. */
export const KEY_TYPES = ['Personal', 'Shared'] as const

export type KeyType = (typeof KEY_TYPES)[number]

/** An API key as it is stored: only its first 24 characters (`prefix`), never the whole key. */
export type ApiKey = {
  readonly id: string
  readonly companyId: string
  readonly environment: Environment
  /** The owner of a Personal key. */
  readonly userId: string | null
  readonly name: string
  readonly description: string | null
  readonly prefix: string
  readonly scopes: readonly string[]
  readonly type: KeyType
  readonly isActive: boolean
  /** Canonical entries, as allowlist.ts makes them. An empty list permits every address. */
  readonly ipAllowlist: readonly string[]
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly revokedReason: string | null
  /** The id of the key that a rotation issued in place of this one. */
  readonly rotatedTo: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly lastUsedIp: string | null
  readonly requestCount: number
}

/** A key, with two further facts that decide its state: whether its owner left, and the time of the database's clock. */
export type FoundKey = { readonly key: ApiKey; readonly hasOwnerLeft: boolean; readonly now: Date }

/**
 * Makes a new key: `<service prefix>_<environment>_` and 32 random letters and digits (190 bits). With a service prefix
 * of 8 characters or more, at least 128 of those bits lie after the 24 characters that are stored in clear.
 *
 * @throws RangeError if the service prefix is not 3 to 24 lower-case letters or digits
 */
export function newApiKey(servicePrefix: string, environment: Environment): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)))
  const key = `${servicePrefix}_${environment}_${random.join('')}`
  if (!isWellFormedKey(key)) throw new RangeError('A service prefix is 3 to 24 lower-case letters or digits.')
  return key
}

/** Whether the text has the form of a key. Such a key need not exist. Secret scanners can use the pattern. */
export const isWellFormedKey = (text: string): boolean => WELL_FORMED.test(text)

/** SHA-256 of the whole key, 32 bytes. The database finds keys by it. A fast hash is safe, because a key has 190 random bits. */
export const hashApiKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** The version of a key's settings: a text that changes when a setting changes, and only then. If-Match names it. */
export const keyVersion = (key: ApiKey): string => {
  const { name, description, scopes, isActive, ipAllowlist, expiresAt } = key
  const settings = JSON.stringify([name, description, scopes, isActive, ipAllowlist, expiresAt])
  return createHash('sha256').update(settings).digest('base64url')
}

/** The prefix of a key: its first 24 characters. Spec: it is stored, so that people can tell keys apart. */
export const keyPrefixOf = (key: string): string => key.slice(0, PREFIX_LENGTH)

/** The content of the Authorization headers of a request: no key, a text that cannot be a key, or a key. */
export type Authorization = { kind: 'none' } | { kind: 'malformed' } | { kind: 'key'; key: string }

/**
 * Reads the key from ALL Authorization values of a request. The caller takes them from rawHeaders, because `headers`
 * hides repeats. The result is `none` without a Bearer value, or with nothing after Bearer. A repeated header, a value
 * over 256 characters, and a key of the wrong form are `malformed`. `Bearer` may have any case, and one or more spaces
 * follow it (RFC 9110, 11.4).
 */
export function parseAuthorization(values: readonly string[]): Authorization {
  if (!values.some((value) => /^bearer\s+\S/i.test(value))) return { kind: 'none' }
  // Stryker disable next-line StringLiteral: there is a value, as was checked; the default is for the compiler
  const [value = ''] = values
  if (values.length > 1 || value.length > MAXIMUM_HEADER_LENGTH) return { kind: 'malformed' }
  // Stryker disable next-line StringLiteral: any text that is not a key has the same effect
  const key = /^bearer +(\S+)$/i.exec(value)?.[1] ?? ''
  return isWellFormedKey(key) ? { kind: 'key', key } : { kind: 'malformed' }
}

/** The state of a key when a request uses it. The names come from the specification's table (States). */
export const KEY_STATES = ['active', 'disabled', 'in_rotation', 'expired', 'revoked'] as const

export type KeyState = (typeof KEY_STATES)[number]

/** The facts that decide a key's state. `hasOwnerLeft`: the owner of a Personal key is no longer a member of the company. */
type KeyStateFacts = Pick<ApiKey, 'isActive' | 'expiresAt' | 'revokedAt' | 'rotatedTo'> & {
  readonly hasOwnerLeft?: boolean
}

/**
 * The state of a key at a moment of the database's clock. At its expiration moment a key is already expired. The specification
 * leaves the order of the states open. Permanent states come first, so that an answer never changes back. A disabled key in its
 * grace period is `disabled`, and in rotation again when it is enabled. Its grace period runs in both states.
 */
export function keyState(key: KeyStateFacts, now: Date): KeyState {
  if (key.revokedAt !== null || key.hasOwnerLeft === true) return 'revoked'
  if (key.expiresAt !== null && key.expiresAt.getTime() <= now.getTime()) return 'expired'
  if (!key.isActive) return 'disabled'
  return key.rotatedTo === null ? 'active' : 'in_rotation'
}

export type KeyChange =
  | ('rename' | 'describe' | 'changeScopes' | 'changeAllowlist')
  | ('activate' | 'deactivate' | 'setExpiry' | 'revoke' | 'rotate')

/** Whether a change is allowed. A refusal has the sentence to show (INVALID_REQUEST). */
export type KeyVerdict = { kind: 'allowed' } | { kind: 'refused'; message: string }

/**
 * Whether a key in this state permits the change. Spec (States): a revoked key never becomes active again. The same holds for
 * an expired key. The end of a grace period cannot be changed, even while the key is disabled.
 *
 * Revoking is allowed in every state and can be repeated, because the write keeps time and reason of the first
 * revocation (`WHERE revoked_at IS NULL`). Revoking also marks a key that is dead only because its owner left. So the
 * owner's return never makes it work again.
 *
 * @param isRotated whether a rotation has replaced the key; the state of a disabled key does not show that
 */
export function checkKeyChange(state: KeyState, change: KeyChange, isRotated: boolean): KeyVerdict {
  if (change === 'rename' || change === 'describe' || change === 'revoke') return { kind: 'allowed' }
  if (change === 'rotate') return state === 'active' ? { kind: 'allowed' } : refused(ROTATION_REFUSALS[state])
  if (state === 'revoked') return refused('The API key is revoked: only its name and description can change.')
  if (state === 'expired')
    return refused('The API key has expired: only its name and description can change.')
  if (change === 'setExpiry' && isRotated)
    return refused('The API key is in rotation and ends with its grace period: revoke it to end it now.')
  return { kind: 'allowed' }
}

const refused = (message: string): KeyVerdict => ({ kind: 'refused', message })

const ROTATION_REFUSALS: Readonly<Record<Exclude<KeyState, 'active'>, string>> = {
  revoked: 'A revoked API key cannot be rotated.',
  expired: 'An expired API key cannot be rotated.',
  disabled: 'A disabled API key cannot be rotated: enable it first.',
  in_rotation: 'The API key is already in rotation.',
}

/** A key with its state and its usage. Both are computed anew at each read. */
export type ApiKeyView = { readonly key: ApiKey; readonly state: KeyState; readonly usage: UsageSummary }

/** The old key of a rotation, while it still works beside its replacement key. */
export type ReplacedKey = { readonly id: string; readonly expiresAt: Date }

/** A key, with facts from other rows. */
export type NamedKey = ApiKeyView & {
  /** The name of its user, even if the user left; null for a key without a user. */
  readonly userName: string | null
  /** The old key that this key replaces, while the old key still works. */
  readonly replaces: ReplacedKey | null
}

/** The filter of a list of keys. An absent field restricts nothing. */
export type KeyFilter = {
  readonly state?: KeyState | undefined
  readonly type?: KeyType | undefined
  /** A scope that the key itself has. A wider scope does not match. */
  readonly scope?: Scope | undefined
  /** A part of the name, or the beginning of the prefix, in upper or lower case. */
  readonly text?: string | undefined
}

/** Whether a list with the filter shows the key. */
export function matchesKeyFilter(
  key: Pick<ApiKey, 'name' | 'prefix' | 'scopes' | 'type'>,
  state: KeyState,
  filter: KeyFilter,
): boolean {
  const text = filter.text?.trim().toLowerCase() ?? ''
  return (
    (filter.state === undefined || filter.state === state) &&
    (filter.type === undefined || filter.type === key.type) &&
    (filter.scope === undefined || key.scopes.includes(filter.scope)) &&
    (key.name.toLowerCase().includes(text) || key.prefix.toLowerCase().startsWith(text))
  )
}
