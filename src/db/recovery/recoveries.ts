import type { Knex } from 'knex'
import {
  waitOf,
  type Recovery,
  type RecoveryKind,
  type RecoveryState,
  type StoppedReason,
} from '../../domain/recovery/recovery.ts'
import type { Environment, Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { exactId } from '../ids.ts'
import { findPlaces, type FoundPlaces, type Listing, type ListPart } from '../list-places.ts'
import { COMMAND_QUEUE, enqueueCommands } from '../outbox/outbox.ts'
import { ofTenant, ofTenantSql } from '../tenant.ts'
import { giveTurns } from './turns.ts'

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
  wakes_at: number | null
  probes_before: number | null
}

/** A row with what tells what the recovery waits for. */
export type FoundRecovery = RecoveryRow & {
  is_active: number | null
  suspended_at: Date | null
  probe_at: Date | null
}

/** Recoveries as `r` with what toRecovery needs; each of the other tables is read by its primary key. */
export const selectRecoveries = (db: Db) =>
  db('recoveries as r')
    .leftJoin('webhooks as w', 'w.id', 'r.webhook_id')
    .leftJoin('companies as c', 'c.id', 'r.company_id')
    .leftJoin('webhook_health as h', 'h.webhook_id', 'r.webhook_id')
    .select<FoundRecovery[]>('r.*', 'w.is_active', 'c.suspended_at', 'h.probe_at')

export const toRecovery = (row: FoundRecovery): Recovery => ({
  id: row.id,
  webhookId: row.webhook_id,
  kind: row.kind,
  state: row.state,
  stoppedReason: row.stopped_reason,
  waitsFor: waitOf({
    state: row.state,
    isSuspended: row.suspended_at !== null,
    isInactive: row.is_active !== 1,
    isFailing: row.probe_at !== null,
    isWaiting: row.wakes_at !== null,
  }),
  since: row.since_at,
  until: row.until_at,
  total: row.total,
  queued: row.queued,
  createdAt: row.created_at,
  endedAt: row.ended_at,
})

const recoveries = (db: Db, tenant: Tenant) => db<RecoveryRow>('recoveries').where(ofTenant(tenant))

export type NewRecovery = Pick<
  Recovery,
  'id' | 'webhookId' | 'kind' | 'since' | 'until' | 'total' | 'createdAt'
>

/** Inserts a queued recovery. It raises the duplicate error while another one of the webhook is queued or runs. */
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

const found = (db: Db, { companyId, environment }: Tenant) =>
  selectRecoveries(db).where({ 'r.company_id': companyId, 'r.environment': environment })

/** The recovery of that webhook of the tenant, or undefined. */
export async function findRecovery(
  db: Db,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<Recovery | undefined> {
  const [row] = await found(db, tenant).where({
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

/** The recovery of the webhook that is queued or runs now, or undefined. */
export async function findOpenRecovery(
  db: Db,
  tenant: Tenant,
  webhookId: string,
): Promise<Recovery | undefined> {
  const [row] = await found(db, tenant).where({ 'r.running_webhook_id': webhookId })
  return row && toRecovery(row)
}

/** Finds the places of a part of the tenants' recoveries, newest first. @param webhookId those of one webhook alone */
export const findRecoveryPlaces = (
  db: Db,
  tenants: readonly Tenant[],
  webhookId: string | undefined,
  part: Pick<ListPart, 'limit' | 'before'>,
): Promise<FoundPlaces> => {
  const ranges = tenants.map(ofTenantSql)
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
  const rows = await Promise.all(tenants.map(async (tenant) => found(db, tenant).whereIn('r.id', [...ids])))
  return rows.flat().map(toRecovery)
}

/** How a recovery ends. */
export type RecoveryEnd =
  | { readonly state: 'done' }
  | { readonly state: 'cancelled'; readonly reason: StoppedReason }

/**
 * Ends a recovery that is queued or runs, whose row the caller has locked, and gives its place to the next one. Its deliveries
 * that wait for an attempt go on without it. A total that was not counted is then the number of those that were queued.
 */
export async function endRecovery(
  trx: Knex.Transaction,
  { id, company_id: companyId, state }: Pick<RecoveryRow, 'id' | 'company_id' | 'state'>,
  end: RecoveryEnd,
  now: Date,
): Promise<void> {
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
  // A queued one had no place. Whoever has locked the company may wait for its row, so this must not wait for the company.
  if (state === 'running') await giveTurns(trx, companyId)
}

/** Ends the recovery of a webhook that is being deleted, if there is one, and queues the end of its workflow. @returns its id */
export async function endOfDeleted(
  trx: Knex.Transaction,
  tenant: Tenant,
  webhookId: string,
  now: Date,
): Promise<string | undefined> {
  const row = await recoveries(trx, tenant).where({ running_webhook_id: webhookId }).forUpdate().first()
  if (!row) return undefined
  await endRecovery(trx, row, { state: 'cancelled', reason: 'webhook_deleted' }, now)
  await enqueueCommands(trx, tenant, [{ kind: 'recover', targetId: row.id, queue: COMMAND_QUEUE }])
  return row.id
}
