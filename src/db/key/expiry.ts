import { insertAudit } from '../audit.ts'
import { SYSTEM } from '../../domain/actor.ts'
import type { ApiKeyRow } from './rows.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'

type ExpiryRow = Pick<ApiKeyRow, 'company_id' | 'revoked_at' | 'expires_at' | 'rotated_to'> & { now: Date }

/**
 * Records once that the grace period of a rotated key has ended. One statement compares the end with the database's
 * clock, and writes. A key that was revoked before stays as it is.
 *
 * @returns in how many milliseconds the key expires; 0 or less if there is nothing left to do
 */
export async function recordKeyExpiry(db: SystemDb, keyId: string): Promise<number> {
  return inTransaction(db, async (trx) => {
    const recorded = await trx('api_keys')
      .where({ id: keyId, revoked_at: null, expiry_recorded_at: null })
      .whereRaw('expires_at <= NOW(3)')
      .update({ expiry_recorded_at: trx.raw('NOW(3)') })
    const row = await trx('api_keys')
      .where({ id: keyId })
      .select('company_id', 'revoked_at', 'expires_at', 'rotated_to', trx.raw('NOW(3) AS now'))
      .first<ExpiryRow | undefined>()
    if (!row || row.revoked_at || !row.expires_at) return 0
    if (recorded === 1) {
      await insertAudit(trx, {
        companyId: row.company_id,
        at: row.now,
        actor: SYSTEM,
        action: 'key.expire',
        targetId: keyId,
        details: { rotated_to: row.rotated_to },
      })
    }
    return row.expires_at.getTime() - row.now.getTime()
  })
}

/** When a key expires. undefined if it does not exist, is revoked, or never expires. */
export async function readKeyExpiry(db: SystemDb, keyId: string): Promise<Date | undefined> {
  const row = await db('api_keys')
    .where({ id: keyId, revoked_at: null })
    .first<{ expires_at: Date | null } | undefined>('expires_at')
  return row?.expires_at ?? undefined
}
