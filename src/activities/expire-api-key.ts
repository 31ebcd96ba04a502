import { recordKeyExpiry } from '../db/system/api-keys.ts'
import type { Deps } from '../process/deps.ts'
import { ownFault } from '../workflows/contract.ts'

/**
 * Makes the activity that records that a rotated key's grace period is over.
 *
 * @returns milliseconds that are left by the database's clock, 0 or less when there is nothing more to do
 */
export function createKeyExpiry({ db, log }: Deps) {
  return async ({ keyId }: { readonly keyId: string }): Promise<number> => {
    try {
      return await recordKeyExpiry(db, keyId)
    } catch (error) {
      log.warn({ err: error, key_id: keyId }, 'the end of a grace period could not be recorded')
      throw ownFault()
    }
  }
}
