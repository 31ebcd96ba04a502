import { startOfSealed, type Canary } from '../../domain/sealing/sealing.ts'
import type { SystemDb } from '../connection/connection.ts'

type SealingKeyRow = { id: string; canary_sealed: string; created_at: Date }

/** The canaries of all keys that processes on this database were ever started with. */
export async function listCanaries(db: SystemDb): Promise<Canary[]> {
  const rows = await db<SealingKeyRow>('sealing_keys').select('id', 'canary_sealed')
  return rows.map((row) => ({ keyId: row.id, sealed: row.canary_sealed }))
}

/** Adds canaries. When several processes do so at the same time, the row of the first one stays. */
export async function insertCanaries(db: SystemDb, canaries: readonly Canary[]): Promise<void> {
  const now = db.raw('NOW(3)')
  await db('sealing_keys')
    .insert(canaries.map(({ keyId, sealed }) => ({ id: keyId, canary_sealed: sealed, created_at: now })))
    .onConflict('id')
    .ignore()
}

/** Sealed values besides those of webhooks. Another target of a channel is sealed anew, its secret is not: each may need its own key. */
const OTHERS = [
  ['notice_channels', 'target_sealed'],
  ['notice_channels', 'secret_sealed'],
  ['mails', 'mail_sealed'],
  ['users', 'totp_sealed'],
] as const

/**
 * Whether a webhook that is not deleted needs the key, for its secret or its headers, the authenticator app of a
 * user, a channel for notices, or a mail that waits.
 * Reads all rows of these tables at worst.
 */
export async function isKeyInUse(db: SystemDb, keyId: string): Promise<boolean> {
  const start = startOfSealed(keyId)
  const sealedUnder = (column: string) => db.raw('LEFT(??, ?) = ?', [column, start.length, start])
  const row = await db('webhooks')
    .whereNull('deleted_at')
    .where((either) => either.where(sealedUnder('secret_sealed')).orWhere(sealedUnder('headers_sealed')))
    .first<{ id: string } | undefined>('id')
  if (row !== undefined) return true
  for (const [table, column] of OTHERS) {
    const row = await db(table).where(sealedUnder(column)).first<{ id: string } | undefined>('id')
    if (row !== undefined) return true
  }
  return false
}
