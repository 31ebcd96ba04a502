import type { FoundKey, ReplacedKey } from '../../domain/key/key.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import type { Place } from '../../domain/list-cursor.ts'
import { ofTenantSql } from '../conditions.ts'
import { olderThan } from '../place-statements.ts'
import { listFoundKeys } from './rows.ts'
import { NOTHING, sql } from '../connection/statements.ts'

/** The company's keys of both environments, newest first. */
export const listKeys = (db: Db, companyId: string): Promise<FoundKey[]> =>
  listFoundKeys(db, sql`WHERE k.company_id = ${companyId} ORDER BY k.created_at DESC, k.id DESC`)

/** The keys of the tenant after a place, newest first. */
export async function listKeyPage(
  db: Db,
  tenant: Tenant,
  { limit, before }: { limit: number; before: Place | undefined },
): Promise<FoundKey[]> {
  const isOlder = before ? sql`AND ${olderThan(before, 'k')}` : NOTHING
  return listFoundKeys(
    db,
    sql`WHERE ${ofTenantSql(tenant, 'k')} ${isOlder}
        ORDER BY k.created_at DESC, k.id DESC LIMIT ${limit}`,
  )
}

/**
 * The tenant's keys that work now and stop working within the given time, the earliest first.
 *
 * @param withinMs counted by the database's clock
 */
export const listKeysThatEnd = (
  db: Db,
  tenant: Tenant,
  { withinMs, limit }: { withinMs: number; limit: number },
): Promise<FoundKey[]> =>
  listFoundKeys(
    db,
    sql`WHERE ${ofTenantSql(tenant, 'k')}
          AND k.is_active = 1 AND k.revoked_at IS NULL
          AND k.expires_at > NOW(3) AND k.expires_at <= NOW(3) + INTERVAL ${withinMs / 1_000} SECOND
        ORDER BY k.expires_at, k.id LIMIT ${limit}`,
  )

/** The company's old keys that still work after a rotation, by the ids of the keys that replace them. */
export async function listReplacedKeys(
  db: Db,
  companyId: string,
  replacementIds: readonly string[],
): Promise<Map<string, ReplacedKey>> {
  const rows = await db
    .from(db.raw('api_keys FORCE INDEX (api_keys_replacement)'))
    .where({ company_id: companyId, is_active: true, revoked_at: null })
    .whereIn('rotated_to', [...replacementIds])
    .whereRaw('expires_at > NOW(3)')
    .select<{ id: string; rotated_to: string; expires_at: Date }[]>('id', 'rotated_to', 'expires_at')
  return new Map(rows.map((row) => [row.rotated_to, { id: row.id, expiresAt: row.expires_at }]))
}
