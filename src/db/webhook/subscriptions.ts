import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { execute, insertRows, readRows, run, sql, type Statement } from '../connection/statements.ts'
import { anyOf, ofTenant, ofTenantSql, tenantOf, type TenantRow } from '../conditions.ts'

/** A webhook that gets events of the type `eventType`. */
export type Subscriber = {
  readonly tenant: Tenant
  readonly webhookId: string
  readonly maxRetries: number
  readonly eventType: string
  /** The filter of the webhook as JSON text, or null. Events that do not match it make no delivery. */
  readonly filter: string | null
}

/** What a publish asks for: the tenant's subscribers of these event types. */
export type SubscriberQuery = { readonly tenant: Tenant; readonly eventTypes: readonly string[] }

/**
 * FROM and WHERE of the active subscriptions `t` and their webhooks `w`. It names the indexes. Otherwise the optimizer may
 * begin with the tenant's webhooks, and read every webhook that was ever deleted.
 */
function activeSubscriptions(queries: readonly SubscriberQuery[]): Statement {
  const conditions = queries.map(
    ({ tenant, eventTypes }) => sql`
      (${ofTenantSql(tenant, 't')}
       AND t.event_type IN (${eventTypes}))`,
  )
  return sql`
    FROM webhook_event_types t FORCE INDEX (webhook_event_types_match)
    JOIN webhooks w FORCE INDEX (PRIMARY)
      ON w.id = t.webhook_id AND w.company_id = t.company_id AND w.environment = t.environment
   WHERE ${anyOf(conditions)} AND w.is_active = 1 AND w.deleted_at IS NULL`
}

/** For each tenant, the active webhooks that subscribe to any of the event types. @param queries at least one */
export async function listSubscribers(db: Db, queries: readonly SubscriberQuery[]): Promise<Subscriber[]> {
  const rows = await readRows<SubscriberRow>(db)`
    SELECT t.company_id, t.environment, t.event_type, w.id, w.max_retries, w.filter IS NOT NULL AS is_filtered
      ${activeSubscriptions(queries)} ORDER BY w.id`
  const filtered = rows.filter(({ is_filtered }) => Number(is_filtered) === 1).map(({ id }) => id)
  const filters = await readFilters(db, [...new Set(filtered)])
  return rows.map((row) => ({
    tenant: tenantOf(row),
    webhookId: row.id,
    maxRetries: row.max_retries,
    eventType: row.event_type,
    filter: filters.get(row.id) ?? null,
  }))
}

/**
 * The filters of these webhooks, each once, however many types a webhook subscribes to. All filters of a tenant together
 * have at most 200 KiB (TENANT_FILTER_LIMITS).
 */
async function readFilters(db: Db, webhookIds: readonly string[]): Promise<Map<string, string | null>> {
  if (webhookIds.length === 0) return new Map()
  const rows = await readRows<{ id: string; filter: string | null }>(db)`
    SELECT id, filter FROM webhooks FORCE INDEX (PRIMARY) WHERE id IN (${webhookIds})`
  return new Map(rows.map(({ id, filter }) => [id, filter]))
}

type SubscriberRow = TenantRow & {
  event_type: string
  id: string
  max_retries: number
  is_filtered: number | string
}

/**
 * How many active webhooks of the tenant subscribe to each of the types, whatever their filters. A type without subscribers
 * is absent.
 */
export async function countSubscribers(
  db: Db,
  tenant: Tenant,
  eventTypes: readonly string[],
): Promise<Map<string, number>> {
  const rows = await readRows<{ event_type: string; webhooks: number }>(db)`
    SELECT t.event_type, COUNT(*) AS webhooks ${activeSubscriptions([{ tenant, eventTypes }])}
     GROUP BY t.event_type`
  return new Map(rows.map(({ event_type, webhooks }) => [event_type, webhooks]))
}

/** The event types of each webhook, in the order in which they were given. */
export async function listSubscriptions(
  db: Db,
  tenant: Tenant,
  webhookIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await readRows<{ webhook_id: string; event_type: string }>(db)`
    SELECT webhook_id, event_type FROM webhook_event_types
     WHERE ${ofTenantSql(tenant)} AND webhook_id IN (${webhookIds}) ORDER BY webhook_id, position`
  const byWebhook = Map.groupBy(rows, ({ webhook_id }) => webhook_id)
  return new Map([...byWebhook].map(([id, own]) => [id, own.map(({ event_type }) => event_type)]))
}

/** Subscribes the webhook to the types. */
export async function insertSubscriptions(
  trx: Db,
  tenant: Tenant,
  webhookId: string,
  eventTypes: readonly string[],
): Promise<void> {
  if (eventTypes.length === 0) return
  const rows = eventTypes.map((type, position) => ({
    ...ofTenant(tenant),
    webhook_id: webhookId,
    event_type: type,
    position,
  }))
  await run(trx, insertRows('webhook_event_types', rows))
}

/** Removes the subscriptions of a webhook, so that a publish no longer reads them. */
export async function deleteSubscriptions(trx: Db, tenant: Tenant, webhookId: string): Promise<void> {
  await execute(trx)`
    DELETE FROM webhook_event_types WHERE ${ofTenantSql(tenant)} AND webhook_id = ${webhookId}`
}

/** Replaces all subscriptions of a webhook, because an update sets `events` as a whole (specification, «Endpoints»). */
export async function replaceSubscriptions(
  trx: Db,
  tenant: Tenant,
  webhookId: string,
  eventTypes: readonly string[],
): Promise<void> {
  await deleteSubscriptions(trx, tenant, webhookId)
  await insertSubscriptions(trx, tenant, webhookId, eventTypes)
}
