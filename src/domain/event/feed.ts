import { ApiError, invalid } from '../errors.ts'
import { listCursor, listFingerprint, readListCursor } from '../list-cursor.ts'
import { tenantKey, type Tenant } from '../tenant.ts'

/*
 * The feed of a tenant: its events in the order in which they were committed. Each event has a place. Places count from
 * 1 without gaps. So a reader's place and the place of the oldest event that is left show whether events between them
 * were removed.
 */

/** An event in the feed. */
export type FeedEntry = { readonly position: number; readonly id: string; readonly type: string }

/** Events that were published together, in one row of the table. `position` is the place of the last event. */
export type FeedRow = {
  readonly position: number
  readonly entries: readonly (readonly [id: string, type: string])[]
}

/** A part of a feed, read at one moment. `head`: place of the latest event. `rows`: what follows the reader's place. */
export type FeedWindow = { readonly head: number; readonly rows: readonly FeedRow[] }

/** Where a reader begins: before the oldest event that is left, after the latest event, or after the place in a cursor. */
export type FeedPlace = 'start' | 'end' | number

/** A row has at most this many events, so that their text fits into its column. */
const ENTRIES_PER_ROW = 50

/** Splits events that are published together into rows. `after`: how many of the events come after the row. */
export function rowsOfEvents(
  events: readonly { readonly id: string; readonly type: string }[],
): { readonly entries: FeedRow['entries']; readonly after: number }[] {
  return Array.from({ length: Math.ceil(events.length / ENTRIES_PER_ROW) }, (_, n) => {
    const end = Math.min(events.length, (n + 1) * ENTRIES_PER_ROW)
    const some = events.slice(n * ENTRIES_PER_ROW, end)
    return { entries: some.map(({ id, type }) => [id, type] as const), after: events.length - end }
  })
}

const firstOf = ({ position, entries }: FeedRow): number => position - entries.length + 1

/** The events in these rows that come after a place, oldest first. */
export const entriesAfter = (rows: readonly FeedRow[], place: number): FeedEntry[] =>
  rows.flatMap((row) =>
    row.entries
      .map(([id, type], n) => ({ position: firstOf(row) + n, id, type }))
      .filter(({ position }) => position > place),
  )

/**
 * The place after which a reader continues.
 *
 * @throws ApiError VALIDATION_ERROR if the feed has not reached the place; CURSOR_EXPIRED if events after it were removed
 */
export function checkPlace(tenant: Tenant, place: FeedPlace, { head, rows }: FeedWindow): number {
  if (place === 'end') return head
  const start = rows[0] ? firstOf(rows[0]) - 1 : head
  if (place === 'start') return start
  if (place > head) throw wrongCursor()
  if (place < start) throw cursorExpired(tenant, start)
  return place
}

/**
 * The error for a cursor after which events were removed.
 *
 * @param start the earliest place from which a reader still gets every later event
 */
export const cursorExpired = (tenant: Tenant, start: number): ApiError =>
  new ApiError(
    'CURSOR_EXPIRED',
    `Events behind this cursor are older than the retention and gone. The oldest cursor is ${feedCursor(tenant, start)}; after=start begins there.`,
  )

const wrongCursor = (): ApiError =>
  invalid('"after" is not a cursor of this feed: send next_cursor of an answer, start or end.')

const fingerprintOf = (tenant: Tenant): string => listFingerprint('feed', tenantKey(tenant))

/** The cursor for the events after a place in the tenant's feed. */
export const feedCursor = (tenant: Tenant, place: number): string =>
  listCursor(fingerprintOf(tenant), String(place))

/** Reads the parameter `after`. @throws ApiError VALIDATION_ERROR if the text is not a cursor of the tenant's feed */
export function readFeedPlace(tenant: Tenant, after: string): FeedPlace {
  if (after === 'start' || after === 'end') return after
  const [ofFeed, place = ''] = readListCursor(after, 2) ?? []
  if (ofFeed === fingerprintOf(tenant) && /^\d{1,15}$/.test(place)) return Number(place)
  throw wrongCursor()
}
