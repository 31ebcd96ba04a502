import type { MakeRoom } from '../../db/connection/large-values.ts'
import {
  findEventPlaces,
  findListedEvents,
  type EventFilter,
  type ListedEvent,
} from '../../db/event/event-places.ts'
import { findEvents } from '../../db/event/events.ts'
import { notFound } from '../../domain/errors.ts'
import type { StoredEvent } from '../../domain/event/event.ts'
import type { Publisher } from '../../domain/event/publisher.ts'
import { isEventId } from '../../domain/ids.ts'
import { listFingerprint, pageOfPlaces, readPlaceCursor } from '../../domain/list-cursor.ts'
import type { CursorPage, CursorRequest } from '../../domain/pagination.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import type { Deps } from '../../deps/deps.ts'
import { listNamesOf } from '../audit.ts'

/** Finds an event of the tenant, a test event too. @throws ApiError NOT_FOUND */
export async function getEvent({ db }: Pick<Deps, 'db'>, tenant: Tenant, id: string): Promise<StoredEvent> {
  const [event] = isEventId(id) ? await findEvents(db, tenant, [id]) : []
  if (!event) throw notFound('Event')
  return event
}

/** Who published an event, with the name of the key or the user; null for every other one. */
export type NamedPublisher = Publisher & { readonly name: string | null }

/** Names who published an event; null where it is not known. */
export async function readPublisher(
  deps: Pick<Deps, 'db'>,
  { companyId }: Tenant,
  { publisher }: StoredEvent,
): Promise<NamedPublisher | null> {
  if (!publisher) return null
  const names = await listNamesOf(deps, companyId, [publisher.id])
  return { ...publisher, name: names.get(publisher.id) ?? null }
}

/** Which events are wanted, and whether with their payloads. */
type EventListRequest = CursorRequest & { readonly filter: EventFilter; readonly withPayload: boolean }

/**
 * Lists the tenant's events, newest first. With a filter a page may hold fewer than `limit` although the list goes on.
 *
 * @param makeRoom called with the bytes of large payloads before they are read
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
export async function listEvents(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  request: EventListRequest,
  makeRoom: MakeRoom,
): Promise<CursorPage<ListedEvent>> {
  const { filter, limit, withPayload } = request
  const { eventType, createdAfter, createdBefore } = filter
  const list = listFingerprint('events', tenantKey(tenant), eventType, createdAfter, createdBefore)
  const before = readPlaceCursor(request, list, isEventId)
  const part = await findEventPlaces(db, tenant, filter, { limit, before })
  const ids = part.places.map(({ id }) => id)
  const found = await findListedEvents(db, tenant, ids, { withPayload, makeRoom })
  return pageOfPlaces(list, part, found, limit)
}
