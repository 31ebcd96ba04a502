import type { DeliveryFilter } from '../../domain/delivery/lists.ts'
import type { Db } from '../connection/connection.ts'
import { placeholders, readRows, type Statement } from '../connection/statements.ts'
import type { FoundPlaces } from '../list-places.ts'
import { behind, toPlace, windowConditions, newestFirst, type ListPart } from '../place-statements.ts'
import { ofTenantSql } from '../tenant.ts'
import { allOf } from '../text.ts'
import { listWebhookIds } from '../webhook/lists.ts'
import { shownRows, type DeliveryScope } from './listing.ts'

/** One delivery, or the deliveries of some events. */
type Wanted = { readonly deliveryId: string } | { readonly eventIds: readonly string[] }

/**
 * One delivery, or those of one event, are few: one for each webhook, unless they were sent again. So this reads all of them,
 * along the index of the event or the primary key.
 */
export async function findFewPlaces(
  db: Db,
  { tenants, webhookId }: DeliveryScope,
  wanted: Wanted,
  filter: DeliveryFilter,
  { limit, before }: Pick<ListPart, 'limit' | 'before'>,
): Promise<FoundPlaces> {
  const { deliveryId, eventId, statuses } = filter
  const conditions: Statement[] = [
    ...('eventIds' in wanted ? [isIn('event_id', wanted.eventIds)] : [isIn('id', [wanted.deliveryId])]),
    ...(deliveryId === undefined ? [] : [isIn('id', [deliveryId])]),
    ...(eventId === undefined ? [] : [isIn('event_id', [eventId])]),
    ...(statuses ? [isIn('status', statuses)] : []),
    ...windowConditions(filter),
    ...(before ? [behind(before)] : []),
  ]
  const index = 'eventIds' in wanted ? 'deliveries_event' : 'PRIMARY'
  const shows = shownRows(filter)
  const found = await Promise.all(
    tenants.map(async (tenant) => {
      const webhookIds = webhookId === undefined ? await listWebhookIds(db, tenant) : [webhookId]
      const inScope = allOf([isIn('webhook_id', webhookIds), ofTenantSql(tenant), ...conditions])
      const few = `SELECT id, created_at FROM deliveries few FORCE INDEX (${index}) WHERE ${inScope.sql}`
      return readRows<{ id: string; created_at: Date }>(db, {
        sql: `select STRAIGHT_JOIN scanned.id, scanned.created_at FROM (${few}) scanned ${shows?.joins.sql ?? ''}
               WHERE ${shows?.condition.sql ?? '1 = 1'}
               ORDER BY scanned.created_at DESC, scanned.id DESC LIMIT ${limit + 1}`,
        values: [...inScope.values, ...(shows?.condition.values ?? [])],
      })
    }),
  )
  const newest = found.flat().map(toPlace)
  const places = newest.sort(newestFirst).slice(0, limit)
  return { places, next: newest.length > limit ? places.at(-1) : undefined }
}

const isIn = (column: string, values: readonly string[]): Statement => ({
  sql: `${column} IN (${placeholders(values.length)})`,
  values,
})
