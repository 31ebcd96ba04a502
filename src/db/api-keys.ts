import type { ApiKey } from '../domain/api-keys.js'
import type { ApiKeyRow } from './api-key-rows.js'
import type { Db } from './connection.js'

/** Inserts a key: its record and the SHA-256 of the key itself, which is stored nowhere else. */
export async function insertApiKey(trx: Db, key: ApiKey, keyHash: Buffer): Promise<void> {
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
