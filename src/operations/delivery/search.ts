import type { DeliveryScope } from '../../db/delivery/listing.ts'
import {
  findDeliveryPlaces,
  searchDeliveriesOfRecord,
  searchDeliveryPlaces,
} from '../../db/delivery/places.ts'
import type { DeliveryFilter } from '../../domain/delivery/lists.ts'
import { isEventId, isId } from '../../domain/ids.ts'
import type { CursorRequest } from '../../domain/pagination.ts'
import type { Deps } from '../../deps/deps.ts'
import { goingOn, searchPart, type SearchedPart } from '../search.ts'

export const isDeliveryId = (id: string): boolean => isId('delivery', id)

/**
 * Searches deliveries for a text, or for those of a record: its events are walked then. What an exact id of a delivery or an event
 * names is found whatever its age.
 *
 * @param scope one tenant where a record is sought
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
export function searchDeliveries(
  deps: Pick<Deps, 'db' | 'clock'>,
  scope: DeliveryScope,
  list: string,
  { filter, ...request }: CursorRequest & { readonly filter: DeliveryFilter },
): Promise<SearchedPart> {
  const { db } = deps
  const { limit } = request
  const [tenant] = scope.tenants
  const search = { list, request, filter }
  if (filter.record !== undefined && tenant) {
    return searchPart(deps, {
      ...search,
      isIdOf: { before: isEventId, within: isDeliveryId },
      look: (window, position) =>
        searchDeliveriesOfRecord(
          db,
          tenant,
          scope.webhookId,
          { ...filter, ...window },
          { limit, ...position },
        ),
    })
  }
  return searchPart(deps, {
    ...search,
    isIdOf: { before: isDeliveryId, within: () => false },
    look: async (window, { before }) => {
      const part = { limit, before }
      const named = namedBy(filter)
      const found = named && (await findDeliveryPlaces(db, scope, named, part))
      if (found && found.places.length > 0) return goingOn({ ...found, examined: found.places.length })
      return goingOn(await searchDeliveryPlaces(db, scope, { ...filter, ...window }, part))
    },
  })
}

/** The filter for the delivery, or for the deliveries of the event, whose id is sought. */
function namedBy({ text = '', ...filter }: DeliveryFilter): DeliveryFilter | undefined {
  if (filter.deliveryId !== undefined || filter.eventId !== undefined) return undefined
  if (isDeliveryId(text)) return { ...filter, deliveryId: text }
  return isEventId(text) ? { ...filter, eventId: text } : undefined
}
