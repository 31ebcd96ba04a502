import type { ApiKey, FoundKey, KeyType } from '../../domain/key/key.ts'
import type { Environment } from '../../domain/tenant.ts'
import type { Db, SystemDb } from '../connection/connection.ts'
import { readRows, sql, type Statement } from '../connection/statements.ts'
import { lookupsByHash, type SharedLookups } from '../connection/shared-lookups.ts'

/** A row of `api_keys`; only the files of db/ use it. */
export type ApiKeyRow = {
  id: string
  company_id: string
  environment: Environment
  user_id: string | null
  name: string
  description: string | null
  type: KeyType
  key_hash: Buffer
  prefix: string
  scopes: string
  ip_allowlist: string
  is_active: number | boolean
  expires_at: Date | null
  revoked_at: Date | null
  revoked_reason: string | null
  rotated_to: string | null
  rotated_at: Date | null
  expiry_recorded_at: Date | null
  last_used_at: Date | null
  last_used_ip: string | null
  request_count: number
  created_at: Date
  updated_at: Date
}

/**
 * Reads the stored allowlist. A text that cannot be read becomes an entry that matches no address, so that the key is
 * refused everywhere.
 */
function readAllowlist(text: string): string[] {
  try {
    const entries: unknown = JSON.parse(text)
    return Array.isArray(entries) ? entries.map(String) : ['unreadable']
  } catch {
    return ['unreadable']
  }
}

export const toApiKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  companyId: row.company_id,
  environment: row.environment,
  userId: row.user_id,
  name: row.name,
  description: row.description,
  prefix: row.prefix,
  scopes: JSON.parse(row.scopes) as string[],
  type: row.type,
  isActive: Boolean(row.is_active),
  ipAllowlist: readAllowlist(row.ip_allowlist),
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  revokedReason: row.revoked_reason,
  rotatedTo: row.rotated_to,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  lastUsedIp: row.last_used_ip,
  requestCount: row.request_count,
})

type FoundKeyRow = ApiKeyRow & { member_id: string | null; is_suspended: number; now: Date }

/**
 * Reads keys `k`. Each row tells whether the key's user is a member, and whether its company is suspended. It does not
 * use the query builder of knex, because every request runs it.
 *
 * @param rest begins with WHERE
 */
const selectFoundKeys = (db: Db, rest: Statement): Promise<FoundKeyRow[]> =>
  readRows<FoundKeyRow>(db)`
    SELECT k.*, u.id AS member_id, c.suspended_at IS NOT NULL AS is_suspended, NOW(3) AS now
      FROM api_keys k
      LEFT JOIN users u ON u.id = k.user_id AND u.company_id = k.company_id AND u.left_at IS NULL
      LEFT JOIN companies c ON c.id = k.company_id
      ${rest}`

/** A Personal key ends with its owner's membership. A Shared key depends on no user (specification, «API keys»). */
const toFoundKey = (row: FoundKeyRow): FoundKey => ({
  key: toApiKey(row),
  hasOwnerLeft: row.type === 'Personal' && row.member_id === null,
  now: row.now,
})

/** Finds keys `k`. @param rest begins with WHERE */
export const listFoundKeys = async (db: Db, rest: Statement): Promise<FoundKey[]> =>
  (await selectFoundKeys(db, rest)).map(toFoundKey)

/** The key of a request, and whether the company is suspended. */
export type RequestKey = FoundKey & { readonly isSuspended: boolean }

/** Looks up the keys of requests by the SHA-256 of the whole key. */
export type KeyLookups = SharedLookups<Buffer, RequestKey>

const toRequestKey = (row: FoundKeyRow): RequestKey => ({
  ...toFoundKey(row),
  isSuspended: row.is_suspended === 1,
})

/** These lookups share queries, so that even thousands of unknown keys cost the database few queries and connections. */
export const createKeyLookups = (db: SystemDb): KeyLookups =>
  lookupsByHash(async (keyHashes) => {
    const rows = await selectFoundKeys(db, sql`WHERE k.key_hash IN (${keyHashes})`)
    return rows.map((row) => [row.key_hash, () => toRequestKey(row)])
  })
