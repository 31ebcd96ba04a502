import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from 'node:crypto'

/** The keys for encryption at rest, by id. The first key encrypts, and all keys decrypt. A printed ring never shows key bytes. */
export type KeyRing = {
  readonly firstKeyId: string
  readonly keys: ReadonlyMap<string, KeyObject>
}

/** A sealed text cannot be opened: unknown key, other context or changed bytes. The error contains no secret. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

const VERSION = 'v1'
const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Reads `<id>:<base64 of 32 bytes>,…`. The first key is the one that encrypts.
 *
 * @throws Error that names the entry by its position or id, never by its key
 */
export function parseKeyRing(text: string): KeyRing {
  const keys = new Map<string, KeyObject>()
  text.split(',').forEach((entry, index) => {
    const match = /^([A-Za-z0-9_-]{1,32}):(.*)/s.exec(entry.trim())
    if (!match?.[1]) throw new Error(`entry ${index + 1} must look like <id>:<base64 of 32 bytes>`)
    // Stryker disable next-line StringLiteral: every match has the group; the default is for the compiler
    const [, id, encoded = ''] = match
    if (!/^[A-Za-z0-9+/]{43}=$/.test(encoded)) throw new Error(`key "${id}" must be the base64 of 32 bytes`)
    if (keys.has(id)) throw new Error(`key id "${id}" is given twice`)
    keys.set(id, createSecretKey(encoded, 'base64'))
  })
  // Stryker disable next-line StringLiteral: there is an entry, or the loop has thrown; the default is for the compiler
  const [firstKeyId = ''] = keys.keys()
  return { firstKeyId, keys }
}

/**
 * Encrypts with the ring's first key: AES-256-GCM, random 96-bit IV (NIST SP 800-38D, 8.2.2).
 *
 * @param context what the text belongs to. It is authenticated but not stored, so a sealed text that was moved to another
 *   row cannot be opened
 * @returns `v1.<key id>.<iv>.<tag>.<ciphertext>`, with the last three parts in base64url
 */
export function seal(ring: KeyRing, plaintext: string, context: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, keyOf(ring, ring.firstKeyId), iv)
  cipher.setAAD(Buffer.from(context))
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(plaintext)), cipher.final()])
  const parts = [iv, cipher.getAuthTag(), ciphertext].map((bytes) => bytes.toString('base64url'))
  return [VERSION, ring.firstKeyId, ...parts].join('.')
}

/**
 * Opens a text that {@link seal} made with any key of the ring.
 *
 * @throws SealError for an unknown key id, another context or a changed text
 */
export function unseal(ring: KeyRing, sealed: string, context: string): string {
  // Stryker disable next-line StringLiteral: a text that lacks a part is refused, whatever stands for the part
  const [version, keyId = '', ivText = '', tagText = '', bodyText = '', ...rest] = sealed.split('.')
  if (version !== VERSION || rest.length > 0) throw new SealError('The text is not in the sealed form.')
  const key = keyOf(ring, keyId)
  const [iv, tag, body] = [decode(ivText), decode(tagText), decode(bodyText)]
  if (iv?.length !== IV_BYTES || tag?.length !== TAG_BYTES || !body) {
    throw new SealError('The text is not in the sealed form.')
  }
  // Stryker disable next-line ObjectLiteral: the tag has this length, as was checked; Node should not take a shorter one either
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  } catch {
    throw new SealError(
      'The sealed text was changed, belongs to another context or to another key of the same id.',
    )
  }
}

/**
 * Seals the text again with the ring's first key. A text that was sealed with that key stays as it is.
 *
 * @throws SealError like {@link unseal}
 */
export function reseal(ring: KeyRing, sealed: string, context: string): string {
  if (sealed.startsWith(startOfSealed(ring.firstKeyId))) return sealed
  return seal(ring, unseal(ring, sealed, context), context)
}

/** The beginning of every text that was sealed with the key. */
export const startOfSealed = (keyId: string): string => `${VERSION}.${keyId}.`

function keyOf(ring: KeyRing, id: string): KeyObject {
  const key = ring.keys.get(id)
  if (!key) throw new SealError('The text is sealed with a key that is not in the ring.')
  return key
}

/** Strict base64url: refuses other spellings of the same bytes. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

/**
 * The kinds of sealed texts: the `secret`, `headers` or `target` of a webhook or of a channel for notices, the secret of an
 * authenticator app (`totp`), a mail, or a kept answer (`idempotency`).
 */
export type SealedValue = 'secret' | 'headers' | 'target' | 'totp' | 'mail' | 'idempotency'

/** The context of a value in a row. @param key the id of the row; for a kept answer the hash that identifies its request */
export const sealContext = (companyId: string, key: string | Buffer, value: SealedValue): string =>
  `${companyId}|${typeof key === 'string' ? key : key.toString('hex')}|${value}`

const HASH_BYTES = 16

/**
 * HMAC-SHA256, cut to 128 bits (half, as RFC 2104, section 5, allows). Without the key nobody can find the text by
 * trying.
 *
 * @param text must begin with the purpose of the hash
 * @returns base64url
 */
export const hashWithKey = (key: KeyObject, text: string): string =>
  createHmac('sha256', key).update(text).digest().subarray(0, HASH_BYTES).toString('base64url')

/** Like hashWithKey, with the first key of the ring. */
export const keyedHash = (ring: KeyRing, text: string): string =>
  hashWithKey(keyOf(ring, ring.firstKeyId), text)

/** A test value, sealed with one key of a ring. A process that can open it has that key, and not another key with the same id. */
export type Canary = { readonly keyId: string; readonly sealed: string }

/** A new test value for a key of the ring. */
export const sealCanary = (ring: KeyRing, keyId: string): Canary => ({
  keyId,
  // Stryker disable next-line StringLiteral: any text can be sealed
  sealed: seal({ ...ring, firstKeyId: keyId }, 'canary', contextOf(keyId)),
})

/** Whether the ring's key with that id is the key that sealed the test value. */
export function opensCanary(ring: KeyRing, { keyId, sealed }: Canary): boolean {
  try {
    unseal(ring, sealed, contextOf(keyId))
    return true
  } catch (error) {
    if (error instanceof SealError) return false
    throw error
  }
}

const contextOf = (keyId: string): string => `${keyId}|canary`
