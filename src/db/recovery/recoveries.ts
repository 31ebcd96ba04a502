import type { Recovery, RecoveryKind, RecoveryState, StoppedReason } from '../../domain/recovery/recovery.ts'
import type { Environment, Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { exactId } from '../ids.ts'
import { findPlaces, type FoundPlaces, type Listing, type ListPart } from '../list-places.ts'
import { ofTenant } from '../tenant.ts'

/** A row of `recoveries`. */
export type RecoveryRow = {
  id: string
  company_id: string
  environment: Environment
  webhook_id: string
  running_webhook_id: string | null
  kind: RecoveryKind
  state: RecoveryState
  stopped_reason: StoppedReason | null
  since_at: Date
  until_at: Date
  total: number | null
  queued: number
  failed_in_row: number
  cursor_at: Date | null
  cursor_id: string | null
  created_at: Date
  touched_at: Date
  ended_at: Date | null
}

export const toRecovery = (row: RecoveryRow): Recovery => ({
  id: row.id,
  webhookId: row.webhook_id,
  kind: row.kind,
  state: row.state,
  stoppedReason: row.stopped_reason,
  since: row.since_at,
  until: row.until_at,
  total: row.total,
  queued: row.queued,
  createdAt: row.created_at,
  endedAt: row.ended_at,
})

const recoveries = (db: Db, tenant: Tenant) => db<RecoveryRow>('recoveries').where(ofTenant(tenant))

/** Inserts a running recovery. It raises the duplicate error while another one of the webhook runs. */
export async function insertRecovery(trx: Db, tenant: Tenant, recovery: Recovery): Promise<void> {
  await trx<RecoveryRow>('recoveries').insert({
    ...ofTenant(tenant),
    id: recovery.id,
    webhook_id: recovery.webhookId,
    running_webhook_id: recovery.webhookId,
    kind: recovery.kind,
    state: recovery.state,
    since_at: recovery.since,
    until_at: recovery.until,
    total: recovery.total,
    created_at: recovery.createdAt,
    touched_at: recovery.createdAt,
  })
}

const byId = (db: Db, tenant: Tenant, webhookId: string, id: string) =>
  recoveries(db, tenant).where({ webhook_id: exactId('webhook', webhookId), id: exactId('recovery', id) })

/** The recovery of that webhook of the tenant, or undefined. */
export async function findRecovery(
  db: Db,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<Recovery | undefined> {
  const row = await byId(db, tenant, webhookId, id).first()
  return row && toRecovery(row)
}

/** As findRecovery; locks the row until the transaction ends. */
export async function lockRecovery(
  trx: Db,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<Recovery | undefined> {
  const row = await byId(trx, tenant, webhookId, id).forUpdate().first()
  return row && toRecovery(row)
}

/** The recovery of the webhook that runs now, or undefined. */
export async function findRunning(db: Db, tenant: Tenant, webhookId: string): Promise<Recovery | undefined> {
  const row = await recoveries(db, tenant).where({ running_webhook_id: webhookId }).first()
  return row && toRecovery(row)
}

/** Finds the places of a part of the tenants' recoveries, newest first. @param webhookId those of one webhook alone */
export const findRecoveryPlaces = (
  db: Db,
  tenants: readonly Tenant[],
  webhookId: string | undefined,
  part: Pick<ListPart, 'limit' | 'before'>,
): Promise<FoundPlaces> => {
  const ranges = tenants.map(({ companyId, environment }) => ({
    sql: 'company_id = ? AND environment = ?',
    values: [companyId, environment],
  }))
  const shows = webhookId === undefined ? undefined : ofWebhook(webhookId)
  return findPlaces(db, { from: 'recoveries FORCE INDEX (recoveries_list)', ranges, shows }, part)
}

const ofWebhook = (webhookId: string): Listing['shows'] => ({
  joins: { sql: 'LEFT JOIN recoveries r FORCE INDEX (PRIMARY) ON r.id = scanned.id', values: [] },
  condition: { sql: 'r.webhook_id = ?', values: [webhookId] },
})

/** The tenants' recoveries among the ids, in no particular order. */
export async function findRecoveries(
  db: Db,
  tenants: readonly Tenant[],
  ids: readonly string[],
): Promise<Recovery[]> {
  const found = await Promise.all(
    tenants.map((tenant) =>
      recoveries(db, tenant)
        .whereIn('id', [...ids])
        .select<RecoveryRow[]>('*'),
    ),
  )
  return found.flat().map(toRecovery)
}

/** How a recovery ends. */
export type RecoveryEnd =
  | { readonly state: 'done' }
  | { readonly state: 'cancelled'; readonly reason: StoppedReason }

/**
 * Ends a running recovery, whose row the caller has locked. Its deliveries that wait for an attempt go on without it. A
 * total that was not counted is then the number of those that were queued.
 */
export async function endRecovery(trx: Db, id: string, end: RecoveryEnd, now: Date): Promise<void> {
  await trx('recoveries')
    .where({ id })
    .update({
      state: end.state,
      stopped_reason: end.state === 'cancelled' ? end.reason : null,
      running_webhook_id: null,
      total: end.state === 'done' ? trx.raw('COALESCE(total, queued)') : trx.ref('total'),
      ended_at: now,
    })
  await trx('recovery_deliveries').where({ recovery_id: id }).delete()
}
