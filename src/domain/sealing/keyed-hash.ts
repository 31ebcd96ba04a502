import { createHmac, type KeyObject } from 'node:crypto'
import type { KeyRing } from './sealing.ts'

const HASH_BYTES = 16

/**
 * HMAC-SHA256, cut to 128 bits (RFC 2104, section 5, allows half). Nobody without the key can find the text by trying.
 *
 * @param text begins with what the hash is for
 * @returns base64url
 */
export const hashWithKey = (key: KeyObject, text: string): string =>
  createHmac('sha256', key).update(text).digest().subarray(0, HASH_BYTES).toString('base64url')

/** The same with the first key of the ring. */
export function keyedHash({ keys, firstKeyId }: KeyRing, text: string): string {
  const key = keys.get(firstKeyId)
  if (!key) throw new Error('the ring has no first key')
  return hashWithKey(key, text)
}
