import { createHash, randomBytes } from 'node:crypto'
import type { Environment } from '../tenant.js'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const RANDOM_LENGTH = 32
const KEPT_LENGTH = 24
const MAXIMUM_HEADER_LENGTH = 256
const WELL_FORMED = /^[a-z0-9]{3,24}_(?:live|test)_[A-Za-z0-9]{32}$/

/** Spec: a Personal key is tied to one user and dies when that user leaves, a Shared key outlives its creator. */
export const KEY_TYPES = ['Personal', 'Shared'] as const

export type KeyType = (typeof KEY_TYPES)[number]

/** An API key as stored: never the key itself, only its first 24 characters (`prefix`). */
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
  /** Canonical entries of ip-allowlist; empty permits every address. */
  readonly ipAllowlist: readonly string[]
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly revokedReason: string | null
  /** Id of the key that a rotation issued in place of this one. */
  readonly rotatedTo: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly lastUsedIp: string | null
  readonly requestCount: number
}

/** A key with what its state depends on besides: whether its owner left, and the database's clock. */
export type FoundKey = { readonly key: ApiKey; readonly hasOwnerLeft: boolean; readonly now: Date }

/**
 * A fresh key: `<prefix>_<environment>_` and 32 random letters and digits (190 bits). With a prefix of 8 characters or
 * more at least 128 of those bits lie beyond the 24 characters that are kept.
 *
 * @throws RangeError when the prefix is not 3 to 24 lower-case letters or digits
 */
export function newApiKey(prefix: string, environment: Environment): string {
  const key = `${prefix}_${environment}_${randomText(RANDOM_LENGTH)}`
  if (!isWellFormedKey(key)) throw new RangeError('A key prefix is 3 to 24 lower-case letters or digits.')
  return key
}

/** Rejection sampling: a byte beyond the last whole multiple of 62 is drawn again, or `byte % 62` would favour A-H. */
function randomText(length: number): string {
  const limit = 256 - (256 % ALPHABET.length)
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < limit) text += ALPHABET.charAt(byte % ALPHABET.length)
    }
  }
  return text
}

/** Whether the text has the form of a key. Publish the pattern for secret scanners; it says nothing of existence. */
export const isWellFormedKey = (text: string): boolean => WELL_FORMED.test(text)

/** SHA-256 of the whole key, 32 bytes: what is stored and looked up. A fast hash is right for 190 random bits. */
export const hashApiKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** Spec: the first 24 characters are kept for identification. */
export const keyPrefixOf = (key: string): string => key.slice(0, KEPT_LENGTH)

/** What the Authorization headers of a request hold: no key at all, something that cannot be one, or a key. */
export type Authorization = { kind: 'none' } | { kind: 'malformed' } | { kind: 'key'; key: string }

/**
 * Reads the key from ALL Authorization values of a request (its rawHeaders: `headers` hides repeats). No value with the
 * Bearer scheme, or Bearer with nothing behind it, is `none`; a repeated header, one over 256 characters and a
 * key of the wrong form are `malformed`. Scheme in any case, one or more spaces (RFC 9110, 11.4).
 */
export function parseAuthorization(values: readonly string[]): Authorization {
  if (!values.some((value) => /^bearer\s+\S/i.test(value))) return { kind: 'none' }
  const [value = ''] = values
  if (values.length > 1 || value.length > MAXIMUM_HEADER_LENGTH) return { kind: 'malformed' }
  const key = /^bearer +(\S+)$/i.exec(value)?.[1] ?? ''
  return isWellFormedKey(key) ? { kind: 'key', key } : { kind: 'malformed' }
}

/** What a request with the key meets. The names of the spec's state table. */
export type KeyState = 'active' | 'disabled' | 'in_rotation' | 'expired' | 'revoked'

/** What decides a key's state. `hasOwnerLeft`: the owner of a Personal key is no longer a member of the company. */
export type KeyStanding = Pick<ApiKey, 'isActive' | 'expiresAt' | 'revokedAt' | 'rotatedTo'> & {
  readonly hasOwnerLeft?: boolean
}

/**
 * The state of a key at a moment of the database's clock, the expiration moment itself included. Spec: order not
 * shown. Ours: what is permanent comes first, so that an answer never changes back: revoked, expired, then the
 * reversible disabled, then in rotation. A disabled key in its grace period is therefore `disabled` (no requests are
 * processed) and in rotation again once it is enabled; its grace period runs on either way.
 */
export function keyState(key: KeyStanding, now: Date): KeyState {
  if (key.revokedAt !== null || key.hasOwnerLeft === true) return 'revoked'
  if (key.expiresAt !== null && key.expiresAt.getTime() <= now.getTime()) return 'expired'
  if (!key.isActive) return 'disabled'
  return key.rotatedTo === null ? 'active' : 'in_rotation'
}

export type KeyChange =
  | ('rename' | 'describe' | 'changeScopes' | 'changeAllowlist')
  | ('activate' | 'deactivate' | 'setExpiry' | 'revoke' | 'rotate')

/** Whether a change may happen; a refusal carries the sentence to show (INVALID_REQUEST). */
export type KeyVerdict = { kind: 'allowed' } | { kind: 'refused'; message: string }

/**
 * Whether a key in this state may be changed so. Name and description may always change, for the record's sake.
 * Revoking is allowed in every state and idempotent: the write keeps the first time and reason
 * (`WHERE revoked_at IS NULL`), and it still marks a key that is dead only because its owner left, so that a return
 * never revives it. Spec: a revoked key cannot be reactivated; expired keys are as final. Only active keys rotate.
 */
export function checkKeyChange(state: KeyState, change: KeyChange): KeyVerdict {
  if (change === 'rename' || change === 'describe' || change === 'revoke') return { kind: 'allowed' }
  if (change === 'rotate') return state === 'active' ? { kind: 'allowed' } : refused(ROTATION_REFUSALS[state])
  if (state === 'revoked') return refused('The API key is revoked: only its name and description can change.')
  if (state === 'expired')
    return refused('The API key has expired: only its name and description can change.')
  return { kind: 'allowed' }
}

const refused = (message: string): KeyVerdict => ({ kind: 'refused', message })

const ROTATION_REFUSALS: Readonly<Record<Exclude<KeyState, 'active'>, string>> = {
  revoked: 'A revoked API key cannot be rotated.',
  expired: 'An expired API key cannot be rotated.',
  disabled: 'A disabled API key cannot be rotated: enable it first.',
  in_rotation: 'The API key is already in rotation.',
}
