import { unlimitedRoom, type MakeRoom } from '../../db/connection/large-values.ts'
import {
  findEventPlaces,
  findListedEvents,
  searchEventPlaces,
  type EventFilter,
} from '../../db/event/event-places.ts'
import { findEvents } from '../../db/event/events.ts'
import { listReach, type ReachRow } from '../../db/webhook/reach.ts'
import type { Deps } from '../../deps/deps.ts'
import { orNotFound } from '../../domain/errors.ts'
import type { StoredEvent, NamedPublisher, ListedEvent } from '../../domain/event/event.ts'
import { isEventId, isTestEventId } from '../../domain/ids.ts'
import { listFingerprint, pageOfPlaces, readPlaceCursor, recordsOf } from '../../domain/list-cursor.ts'
import type { CursorPage, CursorRequest } from '../../domain/pagination.ts'
import { isSearch } from '../../domain/search.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import { reachReason, type Reach } from '../../domain/event/reach.ts'
import { DAY_MS } from '../../domain/instants.ts'
import { JudgedEvent, Judging } from '../../domain/webhook/filter/judging.ts'
import { listNamesOf } from '../audit.ts'
import { toSearchFound, searchPart, type SearchedPart } from '../search.ts'

/** Finds an event of the tenant, a test event too. @throws ApiError NOT_FOUND */
export async function getEvent({ db }: Pick<Deps, 'db'>, tenant: Tenant, id: string): Promise<StoredEvent> {
  const [event] = isEventId(id) ? await findEvents(db, tenant, [id]) : []
  return orNotFound(event, 'Event')
}

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

type EventListRequest = CursorRequest & { readonly filter: EventFilter; readonly withPayload: boolean }

/**
 * Lists the tenant's events, newest first. With a filter a page may have fewer events than `limit` although the list
 * goes on.
 *
 * @param makeRoom called before large payloads are read, with the size of the page's payloads in bytes
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
export async function listEvents(
  deps: Pick<Deps, 'db' | 'clock'>,
  tenant: Tenant,
  request: EventListRequest,
  makeRoom: MakeRoom = unlimitedRoom,
): Promise<CursorPage<ListedEvent>> {
  const { filter, limit, withPayload } = request
  const { eventType, createdAfter, createdBefore, text, record } = filter
  const list = listFingerprint(
    ...['events', tenantKey(tenant), eventType, createdAfter, createdBefore],
    ...(isSearch(filter) ? [text, record] : []),
  )
  const read = (ids: readonly string[]) => findListedEvents(deps.db, tenant, ids, { withPayload, makeRoom })
  if (isSearch(filter)) {
    const { places, ...part } = await searchEvents(deps, tenant, list, request)
    return { ...part, items: recordsOf(places, await read(places.map(({ id }) => id))), limit }
  }
  const before = readPlaceCursor(request, list, isEventId)
  const part = await findEventPlaces(deps.db, tenant, filter, { limit, before })
  return pageOfPlaces(list, part, await read(part.places.map(({ id }) => id)), limit)
}

/** Searches events for a text or by a record. If the text is the id of an event, it finds that event whatever its age. */
const searchEvents = (
  deps: Pick<Deps, 'db' | 'clock'>,
  tenant: Tenant,
  list: string,
  request: EventListRequest,
): Promise<SearchedPart> =>
  searchPart(deps, {
    list,
    request,
    filter: request.filter,
    isIdOf: { before: isEventId, within: () => false },
    look: async (window, { before }) => {
      const { filter, limit } = request
      const named = before ? [] : await findNamed(deps, tenant, filter)
      if (named.length > 0) return { places: named, next: undefined, examined: 1 }
      return toSearchFound(
        await searchEventPlaces(deps.db, tenant, { ...filter, ...window }, { limit, before }),
      )
    },
  })

/** The event whose id is the text of the filter. None when the filter has other conditions too. */
async function findNamed(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  { text = '', ...others }: EventFilter,
): Promise<readonly ListedEvent[]> {
  const isAlone = Object.values(others).every((value) => value === undefined)
  return isAlone && isEventId(text) ? findListedEvents(db, tenant, [text], { withPayload: false }) : []
}

/**
 * Says for each webhook why it got the event, or why not. It covers at most 1,000 webhooks that are not deleted: those
 * that existed when the event happened, and those that got it later. If the event is older than the retention, its
 * deliveries may have been purged. So for such an event, and for a test event, it names only webhooks with a delivery.
 */
export async function readReach(
  { db, clock, config, filters }: Pick<Deps, 'db' | 'clock' | 'config' | 'filters'>,
  tenant: Tenant,
  event: StoredEvent,
): Promise<Reach[]> {
  const rows = await listReach(db, tenant, event)
  const ageMs = clock().getTime() - event.createdAt.getTime()
  const isKnown = !isTestEventId(event.id) && ageMs < config.retentionDays * DAY_MS
  const judged = new JudgedEvent(event.body)
  const judging = new Judging()
  const reach: Reach[] = []
  for (const row of isKnown ? rows : rows.filter(({ delivery }) => delivery !== null)) {
    const filter = isJudged(row) ? filters.get(tenant.companyId, row.filter) : undefined
    const verdict = filter ? await judging.judge(filter, judged) : null
    const reason = reachReason(row, verdict, event.createdAt)
    reach.push({ webhookId: row.webhookId, deliveryId: row.delivery?.id ?? null, reason })
  }
  return reach
}

/** Whether the filter alone decides about the delivery. */
const isJudged = (row: ReachRow): row is ReachRow & { readonly filter: string } =>
  row.delivery === null && row.subscribes && row.filter !== null
