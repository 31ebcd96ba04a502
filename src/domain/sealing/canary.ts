import { seal, SealError, unseal, type KeyRing } from './sealing.ts'

/**
 * A text sealed under one key of a ring. Whoever can open it has exactly that key, and not another one with the same
 * id.
 */
export type Canary = { readonly keyId: string; readonly sealed: string }

/** A new canary for a key of the ring. */
export const sealCanary = (ring: KeyRing, keyId: string): Canary => ({
  keyId,
  // Stryker disable next-line StringLiteral: any text does
  sealed: seal({ ...ring, firstKeyId: keyId }, 'canary', contextOf(keyId)),
})

/** Whether the ring's key with that id is the one that sealed the canary. */
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
