import { unlimitedRoom, type MakeRoom } from '../../db/connection/large-values.ts'
import { findDeliveries } from '../../db/delivery/lists.ts'
import {
  findDeliveryPlaces,
  searchDeliveriesOfRecord,
  searchDeliveryPlaces,
} from '../../db/delivery/places.ts'
import type { DeliveryScope } from '../../db/delivery/listing.ts'
import { readHealths } from '../../db/webhook/health-rows.ts'
import type { Deps } from '../../deps/deps.ts'
import type { DeliveryOverview } from '../../domain/delivery/gate.ts'
import type { DeliveryFilter } from '../../domain/delivery/lists.ts'
import { listFingerprint, placeCursor, readPlaceCursor } from '../../domain/list-cursor.ts'
import { MAXIMUM_PAGE_SIZE, type CursorPage, type CursorRequest } from '../../domain/pagination.ts'
import { isSearch } from '../../domain/search.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import { holdsFirstAttempts } from '../../domain/webhook/health.ts'
import { isEventId, isId } from '../../domain/ids.ts'
import { toSearchFound, searchPart, type SearchedPart } from '../search.ts'

/** `withPayload`: whether to read the payloads of the deliveries' events. */
type OverviewRequest = CursorRequest & {
  readonly filter: DeliveryFilter
  readonly withPayload: boolean
}

/**
 * Lists deliveries of one or of several webhooks, newest first. Deliveries of deleted webhooks are left out. With a
 * filter a page may have fewer deliveries than `limit` although the list goes on.
 *
 * @param makeRoom called before large payloads are read, with the size of the page's payloads in bytes
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
export async function listOverviews(
  deps: Pick<Deps, 'db' | 'clock'>,
  scope: DeliveryScope,
  request: OverviewRequest,
  makeRoom: MakeRoom = unlimitedRoom,
): Promise<CursorPage<DeliveryOverview>> {
  const { limit, withPayload } = request
  const { places, ...part } = await findPart(deps, scope, request)
  const ids = places.map(({ id }) => id)
  const payloads = { withPayload, makeRoom }
  const read = await Promise.all(scope.tenants.map((tenant) => readOverviews(deps.db, tenant, ids, payloads)))
  const byId = new Map(read.flat().map((overview) => [overview.delivery.id, overview]))
  return { ...part, items: ids.flatMap((id) => byId.get(id) ?? []), limit }
}

async function findPart(deps: Pick<Deps, 'db' | 'clock'>, scope: DeliveryScope, request: OverviewRequest) {
  const { filter, limit } = request
  const list = fingerprintOf(scope, filter)
  if (isSearch(filter)) return searchDeliveries(deps, scope, list, request)
  const before = readPlaceCursor(request, list, isDeliveryId)
  const { places, next } = await findDeliveryPlaces(deps.db, scope, filter, { limit, before })
  return { places, nextCursor: next ? placeCursor(list, next) : null }
}

function fingerprintOf({ tenants, webhookId }: DeliveryScope, filter: DeliveryFilter): string {
  const { statuses, eventType, eventId, deliveryId, response, createdAfter, createdBefore } = filter
  const wanted = [statuses, eventType, eventId, deliveryId, response, createdAfter, createdBefore]
  const sought = isSearch(filter) ? [filter.text, filter.record] : []
  return listFingerprint('deliveries', tenants.map(tenantKey), webhookId, ...wanted, ...sought)
}

/** The latest deliveries of an event, 100 at most, without payloads. Deliveries of deleted webhooks are left out. */
export async function listEventDeliveries(
  deps: Pick<Deps, 'db' | 'clock'>,
  tenant: Tenant,
  eventId: string,
): Promise<readonly DeliveryOverview[]> {
  const request = { limit: MAXIMUM_PAGE_SIZE, filter: { eventId }, withPayload: false }
  return (await listOverviews(deps, { tenants: [tenant] }, request)).items
}

async function readOverviews(
  db: Deps['db'],
  tenant: Tenant,
  ids: readonly string[],
  payloads: { readonly withPayload: boolean; readonly makeRoom: MakeRoom },
): Promise<DeliveryOverview[]> {
  if (ids.length === 0) return []
  const deliveries = await findDeliveries(db, tenant, ids, payloads)
  const webhookIds = [...new Set(deliveries.map((delivery) => delivery.webhookId))]
  const healths = await readHealths(db, tenant, webhookIds)
  return deliveries.flatMap((delivery) => {
    const read = healths.get(delivery.webhookId)
    if (!read) return []
    const { isActive, isSuspended, health, now } = read
    const webhook = { isActive, isSuspended, holdsFirstAttempts: holdsFirstAttempts(health, now) }
    return [{ environment: tenant.environment, delivery, webhook }]
  })
}

const isDeliveryId = (id: string): boolean => isId('delivery', id)

/**
 * Searches deliveries for a text or by a record. For a record it reads the record's events and their deliveries. If the text is
 * the id of a delivery or an event, it finds that delivery, or the deliveries of that event, whatever their age.
 *
 * @param scope has one tenant when the filter names a record
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
function searchDeliveries(
  deps: Pick<Deps, 'db' | 'clock'>,
  scope: DeliveryScope,
  list: string,
  { filter, ...request }: CursorRequest & { readonly filter: DeliveryFilter },
): Promise<SearchedPart> {
  const { db } = deps
  const { limit } = request
  const { tenants, webhookId } = scope
  const [tenant] = tenants
  const search = { list, request, filter }
  if (filter.record !== undefined && tenant) {
    return searchPart(deps, {
      ...search,
      isIdOf: { before: isEventId, within: isDeliveryId },
      look: (window, position) =>
        searchDeliveriesOfRecord(db, tenant, webhookId, { ...filter, ...window }, { limit, ...position }),
    })
  }
  return searchPart(deps, {
    ...search,
    isIdOf: { before: isDeliveryId, within: () => false },
    look: async (window, { before }) => {
      const part = { limit, before }
      const named = namedBy(filter)
      const found = named && (await findDeliveryPlaces(db, scope, named, part))
      if (found && found.places.length > 0) return toSearchFound({ ...found, examined: found.places.length })
      return toSearchFound(await searchDeliveryPlaces(db, scope, { ...filter, ...window }, part))
    },
  })
}

/**
 * If the text is the id of a delivery or an event: a filter for that id. Undefined for other texts, and when the filter
 * names an id already.
 */
function namedBy({ text = '', ...filter }: DeliveryFilter): DeliveryFilter | undefined {
  if (filter.deliveryId !== undefined || filter.eventId !== undefined) return undefined
  if (isDeliveryId(text)) return { ...filter, deliveryId: text }
  return isEventId(text) ? { ...filter, eventId: text } : undefined
}
