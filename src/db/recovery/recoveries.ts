import type { Recovery } from '../../domain/recovery/recovery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { FoundPlaces } from '../../domain/list-cursor.ts'
import type { Db } from '../connection/connection.ts'
import { exactId, ofTenant, ofTenantSql } from '../conditions.ts'
import { findPlaces } from '../list-places.ts'
import type { Listing, PartRequest } from '../place-statements.ts'
import { selectRecoveries, toRecovery, type RecoveryRow } from './rows.ts'
import { sql } from '../connection/statements.ts'

const recoveries = (db: Db, tenant: Tenant) => db<RecoveryRow>('recoveries').where(ofTenant(tenant))

export type NewRecovery = Pick<
  Recovery,
  'id' | 'webhookId' | 'kind' | 'since' | 'until' | 'total' | 'createdAt'
>

/** Inserts a queued recovery. @throws the duplicate error if another recovery of the webhook is queued or runs */
export async function insertRecovery(trx: Db, tenant: Tenant, recovery: NewRecovery): Promise<void> {
  await trx<RecoveryRow>('recoveries').insert({
    ...ofTenant(tenant),
    id: recovery.id,
    webhook_id: recovery.webhookId,
    running_webhook_id: recovery.webhookId,
    kind: recovery.kind,
    state: 'queued',
    since_at: recovery.since,
    until_at: recovery.until,
    total: recovery.total,
    created_at: recovery.createdAt,
    touched_at: recovery.createdAt,
  })
}

const recoveriesOf = (db: Db, { companyId, environment }: Tenant) =>
  selectRecoveries(db).where({ 'r.company_id': companyId, 'r.environment': environment })

/** The recovery, if it belongs to that webhook of the tenant; undefined otherwise. */
export async function findRecovery(
  db: Db,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<Recovery | undefined> {
  const [row] = await recoveriesOf(db, tenant).where({
    'r.webhook_id': exactId('webhook', webhookId),
    'r.id': exactId('recovery', id),
  })
  return row && toRecovery(row)
}

/** Locks the row of the recovery until the transaction ends. */
export const lockRecovery = (
  trx: Db,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<RecoveryRow | undefined> =>
  recoveries(trx, tenant)
    .where({ webhook_id: exactId('webhook', webhookId), id: exactId('recovery', id) })
    .forUpdate()
    .first()

/** The webhook's recovery that is queued or runs now; undefined if there is none. */
export async function findOpenRecovery(
  db: Db,
  tenant: Tenant,
  webhookId: string,
): Promise<Recovery | undefined> {
  const [row] = await recoveriesOf(db, tenant).where({ 'r.running_webhook_id': webhookId })
  return row && toRecovery(row)
}

/** Finds the places of a part of the tenants' recoveries, newest first. @param webhookId only recoveries of this webhook */
export const findRecoveryPlaces = (
  db: Db,
  tenants: readonly Tenant[],
  webhookId: string | undefined,
  part: PartRequest,
): Promise<FoundPlaces> => {
  const ranges = tenants.map((tenant) => ofTenantSql(tenant))
  const shows = webhookId === undefined ? undefined : ofWebhook(webhookId)
  return findPlaces(db, { from: sql`recoveries FORCE INDEX (recoveries_list)`, ranges, shows }, part)
}

const ofWebhook = (webhookId: string): Listing['shows'] => ({
  joins: sql`LEFT JOIN recoveries r FORCE INDEX (PRIMARY) ON r.id = scanned.id`,
  condition: sql`r.webhook_id = ${webhookId}`,
})

/** The tenants' recoveries with these ids, in no particular order. */
export async function findRecoveries(
  db: Db,
  tenants: readonly Tenant[],
  ids: readonly string[],
): Promise<Recovery[]> {
  const rows = await Promise.all(
    tenants.map(async (tenant) => recoveriesOf(db, tenant).whereIn('r.id', [...ids])),
  )
  return rows.flat().map(toRecovery)
}

/** The start of a recovery is in the audit with this action. The entry has the same time as the recovery's creation. */
export const BEGUN = 'webhook.recover'

/** The actor who began each recovery of a webhook, by the id of the recovery. Recoveries without an audit entry are left out. */
export async function listStarters(
  db: Db,
  companyId: string,
  webhookId: string,
  recoveries: readonly Pick<Recovery, 'createdAt'>[],
): Promise<ReadonlyMap<string, string>> {
  if (recoveries.length === 0) return new Map()
  const times = recoveries.map(({ createdAt }) => createdAt)
  const rows = await db
    .from(db.raw('audit FORCE INDEX (audit_at)'))
    .where({ company_id: companyId, subject_id: webhookId, action: BEGUN })
    .whereIn('at', times)
    .select<{ actor: string; details: string }[]>('actor', 'details')
  return new Map(rows.map(({ actor, details }) => [recoveryOf(details), actor]))
}

const recoveryOf = (details: string): string => (JSON.parse(details) as { recovery_id: string }).recovery_id
