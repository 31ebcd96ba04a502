import type { DeliveryFilter } from '../../domain/delivery/lists.ts'
import type { SearchFound, SearchPosition } from '../../domain/search.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { searchEventPlaces } from '../event/event-places.ts'
import { findPlaces, type FoundPlaces } from '../list-places.ts'
import type { ListPart, Place } from '../place-statements.ts'
import { LONGEST_SEARCH_MS, searchPlaces, type SearchedPlaces } from '../search-places.ts'
import { findFewPlaces } from './few-places.ts'
import { deliveryListing, type DeliveryScope } from './listing.ts'

export type { DeliveryScope } from './listing.ts'

type DeliveryPart = Pick<ListPart, 'limit' | 'before'>

/** Finds the places of a part of a list of deliveries, newest first. See findPlaces for what it costs. */
export const findDeliveryPlaces = async (
  db: Db,
  scope: DeliveryScope,
  filter: DeliveryFilter,
  part: DeliveryPart,
): Promise<FoundPlaces> =>
  (await findNamed(db, scope, filter, part)) ??
  findPlaces(db, deliveryListing(scope, filter), { ...part, ...windowOf(filter) })

/** Searches deliveries for a text, newest first. See searchPlaces for what it costs. */
export async function searchDeliveryPlaces(
  db: Db,
  scope: DeliveryScope,
  filter: DeliveryFilter,
  part: DeliveryPart,
): Promise<SearchedPlaces> {
  const named = await findNamed(db, scope, filter, part)
  if (named) return { ...named, examined: named.places.length }
  return searchPlaces(db, deliveryListing(scope, filter), { ...part, ...windowOf(filter) })
}

const windowOf = ({ createdAfter, createdBefore }: DeliveryFilter) => ({ createdAfter, createdBefore })

/** Where the filter names a delivery or an event: see findFewPlaces. Otherwise undefined. */
async function findNamed(
  db: Db,
  scope: DeliveryScope,
  filter: DeliveryFilter,
  part: DeliveryPart,
): Promise<FoundPlaces | undefined> {
  const { deliveryId, eventId } = filter
  if (deliveryId !== undefined) return findFewPlaces(db, scope, { deliveryId }, filter, part)
  return eventId === undefined ? undefined : findFewPlaces(db, scope, { eventIds: [eventId] }, filter, part)
}

/** Events whose deliveries are read at once. Each may have one for each webhook of the company. */
const EVENTS_AT_ONCE = 50

/**
 * Finds deliveries of the events of a record. It walks the events, the newest first, so that a delivery comes at the place of its
 * event, even if it was sent again later.
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
    // An event is older than its deliveries, so only the end of the window limits the events too.
    const wanted = { record, createdBefore: filter.createdBefore }
    const events = await searchEventPlaces(db, tenant, wanted, { limit: EVENTS_AT_ONCE, before: at.before })
    examined += events.examined
    const eventIds = events.places.map(({ id }) => id)
    const part = { limit: limit - places.length, before: at.within }
    const few = await findFewPlaces(db, scope, { eventIds }, filter, part)
    places.push(...few.places)
    if (few.next) return { places, next: { before: at.before, within: few.next }, examined }
    if (!events.next) return { places, next: undefined, examined }
    at = { before: events.next }
    if (places.length === limit || performance.now() > endsAtMs) return { places, next: at, examined }
  }
}
