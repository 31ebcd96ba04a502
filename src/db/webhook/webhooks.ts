import type { Tenant } from '../../domain/tenant.ts'
import type { Webhook } from '../../domain/webhook/webhook.ts'
import type { Db } from '../connection/connection.ts'
import { countRows } from '../connection/statements.ts'
import { exactId, ofTenant } from '../conditions.ts'
import {
  deleteSubscriptions,
  insertSubscriptions,
  listSubscriptions,
  replaceSubscriptions,
} from './subscriptions.ts'
import { fromColumns, toColumns, type WebhookFields } from './columns.ts'

/** A new webhook, with its sealed secret. */
export type NewWebhook = Omit<Webhook, 'deactivatedReason' | 'version' | 'updatedAt'> & {
  readonly secretSealed: string
}

/** The fields that a change may set. Absent fields stay as they are. */
export type WebhookChange = Partial<WebhookFields & Pick<Webhook, 'events'>> & {
  readonly secretSealed?: string
}

const webhooks = (db: Db) => db<WebhookRow>('webhooks')

/** Rows of the tenant's webhooks that are not deleted. Only the files of db/ use it. */
export const undeleted = (db: Db, tenant: Tenant) =>
  webhooks(db).where(ofTenant(tenant)).whereNull('deleted_at')

const withId = (db: Db, tenant: Tenant, id: string) =>
  undeleted(db, tenant).where({ id: exactId('webhook', id) })

/** Inserts the webhook and its subscriptions. Call it in a transaction. */
export async function insertWebhook(trx: Db, tenant: Tenant, webhook: NewWebhook): Promise<void> {
  await webhooks(trx).insert({
    ...ofTenant(tenant),
    ...toColumns(webhook),
    id: webhook.id,
    secret_sealed: webhook.secretSealed,
    created_at: webhook.createdAt,
    updated_at: webhook.createdAt,
  })
  await insertSubscriptions(trx, tenant, webhook.id, webhook.events)
}

/** The webhook of the tenant. undefined if the tenant has no webhook with the id, or it is deleted. */
export async function findWebhook(db: Db, tenant: Tenant, id: string): Promise<Webhook | undefined> {
  return first(db, tenant, await withId(db, tenant, id).limit(1))
}

/** Like findWebhook, but locks the row against changes until the transaction ends. */
export async function lockWebhook(trx: Db, tenant: Tenant, id: string): Promise<Webhook | undefined> {
  return first(trx, tenant, await withId(trx, tenant, id).limit(1).forUpdate())
}

/** The sealed signing secret of a webhook; undefined if findWebhook finds no webhook. */
export async function findSealedSecret(db: Db, tenant: Tenant, id: string): Promise<string | undefined> {
  return (await withId(db, tenant, id).first('secret_sealed'))?.secret_sealed
}

/** The present filter of a webhook as JSON text; null if it has none. */
export async function findFilter(db: Db, tenant: Tenant, webhookId: string): Promise<string | null> {
  const row: { filter: string | null } | undefined = await db('webhooks')
    .where({ ...ofTenant(tenant), id: webhookId })
    .first('filter')
  return row?.filter ?? null
}

/** When the webhook was created; undefined if findWebhook finds no webhook. */
export async function findCreation(db: Db, tenant: Tenant, id: string): Promise<Date | undefined> {
  return (await withId(db, tenant, id).first('created_at'))?.created_at
}

export const countWebhooks = (db: Db, tenant: Tenant): Promise<number> => countRows(undeleted(db, tenant))

/** Sets the given fields and updated_at, and raises the version. Call it in a transaction. */
export async function updateWebhook(
  trx: Db,
  tenant: Tenant,
  id: string,
  change: WebhookChange,
  now: Date,
): Promise<void> {
  const changed = await undeleted(trx, tenant)
    .where({ id })
    .update({
      ...toColumns(change),
      ...(change.filter !== undefined && { filter_changed_at: now }),
      ...(change.secretSealed !== undefined && { secret_sealed: change.secretSealed }),
      updated_at: now,
    })
    .increment('version', 1)
  if (changed > 0 && change.events) {
    await replaceSubscriptions(trx, tenant, id, change.events)
  }
}

/** Clears the columns that a deleted webhook no longer needs, so that nobody can unseal its secrets. */
export const WITHOUT_SECRETS = { secret_sealed: '', headers_sealed: null }

/**
 * Marks the webhook as deleted. From then on no caller sees it. Its secret, its headers and its subscriptions are removed
 * at once, so that a publish costs the same however many webhooks were deleted. Call it in a transaction.
 */
export async function markWebhookDeleted(trx: Db, tenant: Tenant, id: string, now: Date): Promise<void> {
  await undeleted(trx, tenant)
    .where({ id })
    .update({ deleted_at: now, is_active: false, ...WITHOUT_SECRETS })
  await deleteSubscriptions(trx, tenant, id)
}

async function first(db: Db, tenant: Tenant, rows: WebhookRow[]): Promise<Webhook | undefined> {
  const [webhook] = await withEventTypes(db, tenant, rows)
  return webhook
}

/** The webhooks of rows, in the order of the rows, each with its subscriptions. */
export async function withEventTypes(db: Db, tenant: Tenant, rows: WebhookRow[]): Promise<Webhook[]> {
  if (rows.length === 0) return []
  const eventsOf = await listSubscriptions(
    db,
    tenant,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => toWebhook(row, eventsOf.get(row.id) ?? []))
}

/** A row of `webhooks`, with the columns that queries name. columns.ts maps the columns of the fields. */
type WebhookRow = {
  id: string
  company_id: string
  environment: string
  is_active: number | boolean
  secret_sealed: string
  version: number
  deleted_at: Date | null
  created_at: Date
  updated_at: Date
}

/** Converts a row, with the event types of its subscriptions. */
const toWebhook = (row: WebhookRow, events: string[]): Webhook => ({
  ...fromColumns(row),
  id: row.id,
  events,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
