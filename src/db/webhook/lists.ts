import { pageOffset, type Page, type PageRequest } from '../../domain/pagination.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Webhook } from '../../domain/webhook/webhook.ts'
import type { Db } from '../connection/connection.ts'
import { countRows } from '../connection/statements.ts'
import { NEWEST_FIRST } from '../place-statements.ts'
import { literally } from '../conditions.ts'
import { listSubscriptions } from './subscriptions.ts'
import { undeleted, withEventTypes } from './webhooks.ts'

/** The filter of a list of webhooks. An absent field restricts nothing. */
export type WebhookFilter = {
  readonly isActive?: boolean | undefined
  /** A part of the name or the URL, in upper or lower case. */
  readonly text?: string | undefined
}

/**
 * `newest`: the newest first. `unwell`: first the webhooks whose endpoints fail or that the service deactivated, then
 * the others. Each group has the newest first.
 */
export type WebhookOrder = 'newest' | 'unwell'

/** The order `unwell` costs one read by primary key for each webhook of the tenant. There are at most WEBHOOKS_PER_TENANT. */
const UNWELL = `(deactivated_reason IS NOT NULL OR is_active = 1 AND EXISTS (
  SELECT 1 FROM webhook_health h WHERE h.webhook_id = webhooks.id AND h.consecutive_failures > 0)) DESC`

/**
 * A page of the tenant's webhooks. The total is a count of rows, because there are at most WEBHOOKS_PER_TENANT, and the
 * index leaves out deleted webhooks.
 */
export async function listWebhooks(
  db: Db,
  tenant: Tenant,
  page: PageRequest,
  { isActive, text = '' }: WebhookFilter,
  order: WebhookOrder = 'newest',
): Promise<Page<Webhook>> {
  const matching = () => {
    const query = undeleted(db, tenant)
    if (isActive !== undefined) void query.where('is_active', isActive)
    const pattern = `%${literally(text)}%`
    if (text !== '') void query.whereRaw('(name LIKE ? OR url LIKE ?)', [pattern, pattern])
    return query
  }
  const listed = matching()
  if (order === 'unwell') void listed.orderByRaw(UNWELL)
  const rows = await listed.orderBy(NEWEST_FIRST).limit(page.limit).offset(pageOffset(page))
  const total = await countRows(matching())
  return { ...page, total, items: await withEventTypes(db, tenant, rows) }
}

/** The ids of all webhooks of the tenant. There are at most WEBHOOKS_PER_TENANT. */
export const listWebhookIds = (db: Db, tenant: Tenant): Promise<string[]> => undeleted(db, tenant).pluck('id')

/** The tenant's webhooks with these ids, in no particular order. Deleted ones are left out. */
export const findWebhooks = async (db: Db, tenant: Tenant, ids: readonly string[]): Promise<Webhook[]> =>
  withEventTypes(db, tenant, await undeleted(db, tenant).whereIn('id', [...ids]))

/** The ids of the webhooks that the service deactivated, because of their endpoints or their backlog. */
export const listDeactivatedIds = (db: Db, tenant: Tenant): Promise<string[]> =>
  undeleted(db, tenant).whereNotNull('deactivated_reason').pluck('id')

/** The name of a webhook, and its event types. */
export type WebhookName = Pick<Webhook, 'id' | 'name' | 'events'>

/** The names of all webhooks of the tenant, in the order of the names. There are at most WEBHOOKS_PER_TENANT. */
export async function listWebhookNames(db: Db, tenant: Tenant): Promise<WebhookName[]> {
  const rows = await undeleted(db, tenant)
    .orderBy(['name', 'id'])
    .select<{ id: string; name: string }[]>('id', 'name')
  if (rows.length === 0) return []
  const eventsOf = await listSubscriptions(
    db,
    tenant,
    rows.map(({ id }) => id),
  )
  return rows.map(({ id, name }) => ({ id, name, events: eventsOf.get(id) ?? [] }))
}
