import { ApiError, invalid } from '../errors.ts'
import { listCursor, listFingerprint, readListCursor } from '../list-cursor.ts'
import { tenantKey, type Tenant } from '../tenant.ts'

/*
 * The feed of a tenant: its events in the order in which they were committed. Their places count from 1 without gaps, so a
 * reader finds out by itself whether something between its place and the oldest event left was removed.
 */

/** An event in the feed. */
export type FeedEntry = { readonly position: number; readonly id: string; readonly type: string }

/** Events that were published together. `position` is the place of the last one. */
export type FeedRow = {
  readonly position: number
  readonly entries: readonly (readonly [id: string, type: string])[]
}

/** What was read of a feed at one moment: the place of its latest event, and rows after the reader's place. */
export type FeedWindow = { readonly head: number; readonly rows: readonly FeedRow[] }

/** Where a reader begins: at the oldest event left, after the latest one, or after the place of a cursor. */
export type FeedPlace = 'start' | 'end' | number

/** How many events one row has at most, so that their text fits into its column. */
const ENTRIES_PER_ROW = 50

/** Splits events that are published together into rows. `after` counts the events after the last one of the row. */
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

/** The events of rows after a place, oldest first. */
export const entriesAfter = (rows: readonly FeedRow[], place: number): FeedEntry[] =>
  rows.flatMap((row) =>
    row.entries
      .map(([id, type], n) => ({ position: firstOf(row) + n, id, type }))
      .filter(({ position }) => position > place),
  )

/**
 * The place where a reader goes on, given what was read after its place.
 *
 * @throws ApiError VALIDATION_ERROR for a place that the feed has not reached; CURSOR_EXPIRED when events after it are gone
 */
export function checkPlace(tenant: Tenant, place: FeedPlace, { head, rows }: FeedWindow): number {
  if (place === 'end') return head
  const oldest = rows[0] ? firstOf(rows[0]) - 1 : head
  if (place === 'start') return oldest
  if (place > head) throw wrongCursor()
  if (place < oldest) throw cursorExpired(tenant, oldest)
  return place
}

/** The refusal of a cursor after which events are gone. @param oldest the first place after which no event is gone */
export const cursorExpired = (tenant: Tenant, oldest: number): ApiError =>
  new ApiError(
    'CURSOR_EXPIRED',
    `Events behind this cursor are older than the retention and gone. The oldest cursor is ${feedCursor(tenant, oldest)}; after=start begins there.`,
  )

const wrongCursor = (): ApiError =>
  invalid('"after" is not a cursor of this feed: send next_cursor of an answer, start or end.')

const fingerprintOf = (tenant: Tenant): string => listFingerprint('feed', tenantKey(tenant))

/** The cursor for what follows a place in the tenant's feed. */
export const feedCursor = (tenant: Tenant, place: number): string =>
  listCursor(fingerprintOf(tenant), String(place))

/** Reads where a request begins. @throws ApiError VALIDATION_ERROR for a text that is no cursor of the tenant's feed */
export function readFeedPlace(tenant: Tenant, after: string): FeedPlace {
  if (after === 'start' || after === 'end') return after
  const [ofFeed, place = ''] = readListCursor(after, 2) ?? []
  if (ofFeed === fingerprintOf(tenant) && /^\d{1,15}$/.test(place)) return Number(place)
  throw wrongCursor()
}
