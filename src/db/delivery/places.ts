import type { DeliveryFilter } from '../../domain/delivery/lists.ts'
import type { SearchFound, SearchPosition } from '../../domain/search.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { FoundPlaces, Place } from '../../domain/list-cursor.ts'
import type { Db } from '../connection/connection.ts'
import { searchEventPlaces } from '../event/event-places.ts'
import { findPlaces } from '../list-places.ts'
import { toPlace, windowConditions, newestFirst, type PartRequest } from '../place-statements.ts'
import { LONGEST_SEARCH_MS, searchPlaces, type SearchedPlaces } from '../search-places.ts'
import { deliveryListing, shownRows, type DeliveryScope } from './listing.ts'
import { NOTHING, rawSql, readRows, sql, type Statement } from '../connection/statements.ts'
import { ofTenantSql, allOf } from '../conditions.ts'
import { listWebhookIds } from '../webhook/lists.ts'

/** Finds the places of a part of a list of deliveries, newest first. See findPlaces for what it costs. */
export const findDeliveryPlaces = (
  db: Db,
  scope: DeliveryScope,
  filter: DeliveryFilter,
  part: PartRequest,
): Promise<FoundPlaces> =>
  namesFew(filter)
    ? findFewPlaces(db, scope, filter, part)
    : findPlaces(db, deliveryListing(scope, filter), { ...filter, ...part })

/** Searches deliveries for a text, newest first. See searchPlaces for what it costs. */
export async function searchDeliveryPlaces(
  db: Db,
  scope: DeliveryScope,
  filter: DeliveryFilter,
  part: PartRequest,
): Promise<SearchedPlaces> {
  if (!namesFew(filter)) return searchPlaces(db, deliveryListing(scope, filter), { ...filter, ...part })
  const few = await findFewPlaces(db, scope, filter, part)
  return { ...few, examined: few.places.length }
}

const namesFew = ({ deliveryId, eventId }: DeliveryFilter): boolean =>
  deliveryId !== undefined || eventId !== undefined

/**
 * One query reads the deliveries of this many events. Each event may have a delivery for each webhook of the company.
 */
const EVENTS_AT_ONCE = 50

/**
 * Finds the deliveries of the events that are about a record. It goes through the events, the newest first. So a
 * delivery stands at the place of its event, even if it was made later, by a resend.
 */
export async function searchDeliveriesOfRecord(
  db: Db,
  tenant: Tenant,
  webhookId: string | undefined,
  { record, ...filter }: DeliveryFilter,
  { limit, before, within }: { readonly limit: number } & SearchPosition,
): Promise<SearchFound> {
  const endsAtMs = performance.now() + LONGEST_SEARCH_MS
  const scope = { tenants: [tenant], webhookId }
  const places: Place[] = []
  let examined = 0
  for (let at: SearchPosition = { before, within }; ;) {
    // An event is older than its deliveries. So the end of the window also limits the events, and its start does not.
    const wanted = { record, createdBefore: filter.createdBefore }
    const events = await searchEventPlaces(db, tenant, wanted, { limit: EVENTS_AT_ONCE, before: at.before })
    examined += events.examined
    const eventIds = events.places.map(({ id }) => id)
    const part = { limit: limit - places.length, before: at.within }
    const few = await findFewPlaces(db, scope, filter, part, eventIds)
    places.push(...few.places)
    if (few.next) return { places, next: { before: at.before, within: few.next }, examined }
    if (!events.next) return { places, next: undefined, examined }
    at = { before: events.next }
    if (places.length === limit || performance.now() > endsAtMs) return { places, next: at, examined }
  }
}

/**
 * An event has few deliveries: one for each webhook, and its resends. So this reads all deliveries of the events along
 * the index of events, or a single delivery by the primary key. The filter names the delivery or the event, unless
 * `eventIds` names the events.
 */
async function findFewPlaces(
  db: Db,
  { tenants, webhookId }: DeliveryScope,
  filter: DeliveryFilter,
  { limit, before }: PartRequest,
  eventIds?: readonly string[],
): Promise<FoundPlaces> {
  const { deliveryId, eventId, statuses } = filter
  const conditions = [
    eventIds && isIn('event_id', eventIds),
    deliveryId === undefined ? undefined : sql`id = ${deliveryId}`,
    eventId === undefined ? undefined : sql`event_id = ${eventId}`,
    statuses && isIn('status', statuses),
    ...windowConditions(filter, before),
  ]
  const index = rawSql(deliveryId === undefined ? 'deliveries_event' : 'PRIMARY')
  const shows = shownRows(filter)
  const found = await Promise.all(
    tenants.map(async (tenant) => {
      const webhookIds = webhookId === undefined ? await listWebhookIds(db, tenant) : [webhookId]
      const inScope = allOf([isIn('webhook_id', webhookIds), ofTenantSql(tenant), ...conditions])
      return readRows<{ id: string; created_at: Date }>(db)`
        select STRAIGHT_JOIN scanned.id, scanned.created_at
          FROM (SELECT id, created_at FROM deliveries few FORCE INDEX (${index}) WHERE ${inScope}) scanned
               ${shows?.joins ?? NOTHING}
         WHERE ${shows?.condition ?? 1} ORDER BY scanned.created_at DESC, scanned.id DESC LIMIT ${limit + 1}`
    }),
  )
  const newest = found.flat().map(toPlace)
  const places = newest.sort(newestFirst).slice(0, limit)
  return { places, next: newest.length > limit ? places.at(-1) : undefined }
}

const isIn = (column: string, values: readonly string[]): Statement => sql`${rawSql(column)} IN (${values})`
