import { DELIVERY_STATUSES } from '../../domain/delivery/delivery.ts'
import { codesOf, type DeliveryFilter } from '../../domain/delivery/list-filter.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { ofTenantSql } from '../tenant.ts'
import { placeholders, readRows, type Statement } from '../connection/statements.ts'
import { findPlaces, type FoundPlaces } from '../list-places.ts'
import { behind, windowConditions, type Listing, type ListPart, type Place } from '../place-statements.ts'
import { listWebhookIds } from '../webhook/lists.ts'

/**
 * Whose deliveries a list shows: those of one webhook, which the caller knows to belong to the tenants, or of all webhooks
 * that are not deleted.
 */
export type DeliveryScope = { readonly tenants: readonly Tenant[]; readonly webhookId?: string | undefined }

type DeliveryPart = Pick<ListPart, 'limit' | 'before'>

/** Finds the places of a part of a list of deliveries, newest first. See findPlaces for what it costs. */
export async function findDeliveryPlaces(
  db: Db,
  scope: DeliveryScope,
  filter: DeliveryFilter,
  part: DeliveryPart,
): Promise<FoundPlaces> {
  const { deliveryId, eventId, createdAfter, createdBefore } = filter
  if (deliveryId !== undefined || eventId !== undefined) return findFewPlaces(db, scope, filter, part)
  return findPlaces(db, listingOf(scope, filter), { ...part, createdAfter, createdBefore })
}

/** No index has deliveries of several statuses in order, so each status is a range of its own. */
function listingOf({ tenants, webhookId }: DeliveryScope, filter: DeliveryFilter): Listing {
  const ofStatuses = ({ sql, values }: Statement): Statement[] =>
    (filter.statuses ?? DELIVERY_STATUSES).map((status) => ({
      sql: `${sql} AND status = ?`,
      values: [...values, status],
    }))
  const conditions = rowConditions(filter)
  if (webhookId !== undefined) {
    return {
      from: 'deliveries FORCE INDEX (deliveries_status)',
      ranges: ofStatuses({ sql: 'webhook_id = ?', values: [webhookId] }),
      shows: conditions.length === 0 ? undefined : { joins: JOIN_ROW, condition: allOf(conditions) },
    }
  }
  return {
    from: 'deliveries FORCE INDEX (deliveries_tenant)',
    ranges: tenants.map(ofTenantSql).flatMap(ofStatuses),
    shows: {
      joins: { sql: `${JOIN_ROW.sql} ${JOIN_WEBHOOK}`, values: [] },
      condition: allOf([{ sql: 'w.id IS NOT NULL', values: [] }, ...conditions]),
    },
  }
}

/** The delivery of a place. It is missing when the purge has removed it since. */
const JOIN_ROW: Statement = {
  sql: 'LEFT JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = scanned.id',
  values: [],
}

const JOIN_WEBHOOK =
  'LEFT JOIN webhooks w FORCE INDEX (PRIMARY) ON w.id = d.webhook_id AND w.deleted_at IS NULL'

/**
 * One delivery, or those of one event, are few: one for each webhook, unless they were sent again. So this reads all of them,
 * along the index of the event or the primary key.
 */
async function findFewPlaces(
  db: Db,
  { tenants, webhookId }: DeliveryScope,
  { deliveryId, eventId, statuses, ...filter }: DeliveryFilter,
  { limit, before }: DeliveryPart,
): Promise<FoundPlaces> {
  const conditions = [
    ...(deliveryId === undefined ? [] : [{ sql: 'd.id = ?', values: [deliveryId] }]),
    ...(eventId === undefined ? [] : [{ sql: 'd.event_id = ?', values: [eventId] }]),
    ...(statuses ? [{ sql: `status IN (${placeholders(statuses.length)})`, values: statuses }] : []),
    ...rowConditions(filter),
    ...windowConditions(filter),
    ...(before ? [behind(before)] : []),
  ]
  const index = deliveryId === undefined ? 'deliveries_event' : 'PRIMARY'
  const found = await Promise.all(
    tenants.map(async (tenant) => {
      const webhookIds = webhookId === undefined ? await listWebhookIds(db, tenant) : [webhookId]
      const condition = allOf([
        { sql: `d.webhook_id IN (${placeholders(webhookIds.length)})`, values: webhookIds },
        ofTenantSql(tenant),
        ...conditions,
      ])
      const sql = `select d.id, d.created_at from deliveries d FORCE INDEX (${index})
                    WHERE ${condition.sql} ORDER BY d.created_at DESC, d.id DESC LIMIT ${limit + 1}`
      return readRows<{ id: string; created_at: Date }>(db, { sql, values: condition.values })
    }),
  )
  const newest = found.flat().map(({ id, created_at }): Place => ({ id, createdAt: created_at }))
  const places = newest.sort(newestFirst).slice(0, limit)
  return { places, next: newest.length > limit ? places.at(-1) : undefined }
}

const newestFirst = (a: Place, b: Place): number =>
  b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1)

/** The conditions on a delivery `d` that none of the indexes of lists has. */
const rowConditions = ({ eventType, response }: DeliveryFilter): Statement[] => [
  ...(eventType === undefined ? [] : [{ sql: 'd.event_type = ?', values: [eventType] }]),
  ...(response === undefined ? [] : [responseCondition(response)]),
]

const responseCondition = (response: NonNullable<DeliveryFilter['response']>): Statement =>
  response === 'none'
    ? { sql: 'd.id IS NOT NULL AND d.response_code IS NULL', values: [] }
    : { sql: 'd.response_code BETWEEN ? AND ?', values: codesOf(response) }

const allOf = (conditions: readonly Statement[]): Statement => ({
  sql: conditions.map(({ sql }) => sql).join(' AND '),
  values: conditions.flatMap(({ values }) => values),
})
