import type { ApiKey, FoundKey } from '../../domain/key/key.ts'
import { listFoundKeys, toApiKey, type ApiKeyRow } from './rows.ts'
import { databaseNow } from '../clock.ts'
import type { Db } from '../connection/connection.ts'
import { countRows, sql } from '../connection/statements.ts'
import { enqueueCommands } from '../outbox/outbox.ts'
import { COMMAND_QUEUE } from '../outbox/queues.ts'
import { lockMembership } from '../user/users.ts'

/** The fields that a change of a key may set. Absent fields stay as they are. */
export type KeyFields = Partial<
  Pick<ApiKey, 'name' | 'description' | 'scopes' | 'ipAllowlist' | 'isActive' | 'expiresAt'>
>

const keysOf = (db: Db, companyId: string) => db<ApiKeyRow>('api_keys').where({ company_id: companyId })

/** Inserts a key's record with the SHA-256 of the key. The key itself is stored nowhere. */
export async function insertKey(trx: Db, key: ApiKey, keyHash: Buffer): Promise<void> {
  await trx<ApiKeyRow>('api_keys').insert({
    id: key.id,
    company_id: key.companyId,
    environment: key.environment,
    user_id: key.userId,
    name: key.name,
    description: key.description,
    type: key.type,
    key_hash: keyHash,
    prefix: key.prefix,
    scopes: JSON.stringify(key.scopes),
    ip_allowlist: JSON.stringify(key.ipAllowlist),
    is_active: key.isActive,
    expires_at: key.expiresAt,
    created_at: key.createdAt,
    updated_at: key.createdAt,
  })
}

/** The company's key, in either environment; undefined if there is none. */
export async function findKey(db: Db, companyId: string, id: string): Promise<FoundKey | undefined> {
  const [found] = await listFoundKeys(db, sql`WHERE k.company_id = ${companyId} AND k.id = ${id}`)
  return found
}

/**
 * Like findKey, but until the transaction ends it locks the key against changes, and its user against leaving. It locks
 * the user row before the key row. The removal of a user does the same, so the two cannot deadlock.
 */
export async function lockKey(trx: Db, companyId: string, id: string): Promise<FoundKey | undefined> {
  const owned = await keysOf(trx, companyId).where({ id }).first('user_id')
  const isMember = owned?.user_id ? await lockMembership(trx, companyId, owned.user_id) : false
  const row = await keysOf(trx, companyId).where({ id }).forUpdate().first()
  if (!row) return undefined
  return {
    key: toApiKey(row),
    hasOwnerLeft: row.type === 'Personal' && !isMember,
    now: await databaseNow(trx),
  }
}

/**
 * A user's Personal keys of both environments that are neither revoked nor disabled. They are locked until the transaction
 * ends.
 */
export async function listActivePersonalKeys(trx: Db, companyId: string, userId: string): Promise<ApiKey[]> {
  const rows = await keysOf(trx, companyId)
    .where({ user_id: userId, type: 'Personal', is_active: true })
    .whereNull('revoked_at')
    .orderBy('id')
    .forUpdate()
    .select('*')
  return rows.map(toApiKey)
}

/** Sets the given fields. */
export async function updateKey(
  trx: Db,
  companyId: string,
  id: string,
  change: KeyFields,
  now: Date,
): Promise<void> {
  await keysOf(trx, companyId)
    .where({ id })
    .update({
      ...(change.name !== undefined && { name: change.name }),
      ...(change.description !== undefined && { description: change.description }),
      ...(change.scopes !== undefined && { scopes: JSON.stringify(change.scopes) }),
      ...(change.ipAllowlist !== undefined && { ip_allowlist: JSON.stringify(change.ipAllowlist) }),
      ...(change.isActive !== undefined && { is_active: change.isActive }),
      ...(change.expiresAt !== undefined && { expires_at: change.expiresAt }),
      updated_at: now,
    })
}

/** How many keys of the company work or can work again. Revoked, expired and replaced keys do not count. */
export const countLiveKeys = (db: Db, companyId: string): Promise<number> =>
  countRows(
    keysOf(db, companyId)
      .whereNull('revoked_at')
      .whereNull('rotated_to')
      .andWhere((either) => either.whereNull('expires_at').orWhereRaw('expires_at > NOW(3)')),
  )

/** Stores the replacement key of a key, and when the old key expires. The caller must have locked the old key's row. */
export async function markRotated(
  trx: Db,
  companyId: string,
  id: string,
  { rotatedTo, expiresAt, now }: { rotatedTo: string; expiresAt: Date; now: Date },
): Promise<void> {
  await keysOf(trx, companyId)
    .where({ id, rotated_to: null })
    .update({ rotated_to: rotatedTo, rotated_at: now, expires_at: expiresAt, updated_at: now })
}

/**
 * Revokes keys for good. A key that is revoked already keeps its time and reason. For a rotated key it also queues the
 * command that ends its timer in Temporal.
 *
 * @returns the ids of the keys that it revoked
 */
export async function revokeKeys(
  trx: Db,
  companyId: string,
  which: Pick<ApiKeyRow, 'id'> | Pick<ApiKeyRow, 'user_id' | 'type'>,
  { reason, now }: { reason: string; now: Date },
): Promise<string[]> {
  const rows = await keysOf(trx, companyId)
    .where(which)
    .whereNull('revoked_at')
    .orderBy('id')
    .forUpdate()
    .select('id', 'rotated_to')
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return ids
  await keysOf(trx, companyId)
    .whereIn('id', ids)
    .update({ revoked_at: now, revoked_reason: reason, updated_at: now })
  const rotated = rows.filter(({ rotated_to }) => rotated_to !== null)
  if (rotated.length > 0) {
    await enqueueCommands(
      trx,
      { companyId },
      rotated.map(({ id }) => ({ kind: 'expire-key', targetId: id, queue: COMMAND_QUEUE })),
    )
  }
  return ids
}
