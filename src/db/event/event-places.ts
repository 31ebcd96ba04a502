import { NAMED_BODY_BYTES, recordNameOf } from '../../domain/event/record-name.ts'
import type { ListedEvent } from '../../domain/event/event.ts'
import type { ListWindow } from '../../domain/pagination.ts'
import type { SearchTerms } from '../../domain/search.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { FoundPlaces } from '../../domain/list-cursor.ts'
import type { Db } from '../connection/connection.ts'
import {
  INLINE_BYTES,
  readLargeValues,
  unlimitedRoom,
  type MakeRoom,
  type SizedRow,
} from '../connection/large-values.ts'
import { readRows, sql, type Statement } from '../connection/statements.ts'
import { findPlaces } from '../list-places.ts'
import type { Listing, PartRequest } from '../place-statements.ts'
import { searchPlaces, type SearchedPlaces } from '../search-places.ts'
import { ofTenantSql, allOf, containsInJson } from '../conditions.ts'
import { isNoTest, shownRecord } from './events.ts'

/** The filter of a list of events. */
export type EventFilter = ListWindow & SearchTerms & { readonly eventType?: string | undefined }

/** Finds the places of a part of the tenant's events, newest first. See findPlaces for what it costs. */
export const findEventPlaces = (
  db: Db,
  tenant: Tenant,
  filter: EventFilter,
  part: PartRequest,
): Promise<FoundPlaces> => findPlaces(db, listingOf(tenant, filter), { ...filter, ...part })

/** Searches the tenant's events, newest first. See searchPlaces for what it costs. */
export const searchEventPlaces = (
  db: Db,
  tenant: Tenant,
  filter: EventFilter,
  part: PartRequest,
): Promise<SearchedPlaces> => searchPlaces(db, listingOf(tenant, filter), { ...filter, ...part })

function listingOf(tenant: Tenant, { eventType, text, record }: EventFilter): Listing {
  const own = ofTenantSql(tenant)
  const conditions = [
    record === undefined ? undefined : isOfRecord(record),
    eventType === undefined ? undefined : sql`e.type = ${eventType}`,
    text === undefined ? undefined : containsInJson('e.body', text),
  ]
  const joins = sql`
    LEFT JOIN events e FORCE INDEX (PRIMARY)
      ON ${ofTenantSql(tenant, 'e')} AND e.id = scanned.id`
  const isAll = conditions.every((condition) => condition === undefined)
  const shows = isAll ? undefined : { joins, condition: allOf(conditions) }
  if (record === undefined) return { from: sql`events FORCE INDEX (events_list)`, ranges: [own], shows }
  const ranges = [sql`${own} AND record_id = ${record}`, sql`${own} AND record_id IS NULL`]
  return { from: sql`events FORCE INDEX (events_record)`, ranges, shows }
}

/**
 * The condition that an event `e` is about a record. If a process of a former release published the event, its
 * record_id is null, and its body is searched.
 */
const isOfRecord = (record: string): Statement => sql`
  (e.record_id = ${record} OR (e.record_id IS NULL AND ${containsInJson('e.body', record)}
   AND JSON_UNQUOTE(COALESCE(JSON_EXTRACT(CONVERT(e.body USING utf8mb4), '$.subject'),
                             JSON_EXTRACT(CONVERT(e.body USING utf8mb4), '$.data.id'))) = ${record}))`

/** How many events listLatestOfTypes reads. */
const MOST_LOOKED_AT = 10_000

/**
 * The ids of the latest events of the types, newest first, without test events. It looks among the latest 10,000 events of
 * the tenant.
 */
export async function listLatestOfTypes(
  db: Db,
  tenant: Tenant,
  {
    types,
    since,
    limit,
  }: { readonly types: readonly string[]; readonly since: Date; readonly limit: number },
): Promise<string[]> {
  const rows = await readRows<{ id: string }>(db)`
    SELECT id FROM (SELECT id, type, created_at FROM events FORCE INDEX (events_list)
                     WHERE ${ofTenantSql(tenant)} AND created_at >= ${since}
                     ORDER BY created_at DESC, id DESC LIMIT ${MOST_LOOKED_AT}) latest
     WHERE type IN (${types}) AND ${isNoTest('id')}
     ORDER BY created_at DESC, id DESC LIMIT ${limit}`
  return rows.map(({ id }) => id)
}

type ListedRow = SizedRow & {
  type: string
  created_at: Date
  deliveries: number
  record_id: string | null
  body: Buffer | null
}

/**
 * The tenant's events with these ids, in no particular order. First `makeRoom` is called with the size of all their
 * payloads. Then the large ones are read in slices.
 */
export async function findListedEvents(
  db: Db,
  tenant: Tenant,
  ids: readonly string[],
  { withPayload, makeRoom = unlimitedRoom }: { withPayload: boolean; makeRoom?: MakeRoom },
): Promise<ListedEvent[]> {
  const own = ofTenantSql(tenant)
  const read = <Row>(columns: Statement, some: readonly string[]): Promise<Row[]> =>
    readRows<Row>(db)`SELECT ${columns} FROM events WHERE ${own} AND id IN (${some})`
  const upTo = withPayload ? INLINE_BYTES : NAMED_BODY_BYTES
  const rows = await read<ListedRow>(
    sql`id, type, created_at, deliveries, record_id, OCTET_LENGTH(body) AS bytes,
        IF(OCTET_LENGTH(body) <= ${upTo}, body, NULL) AS body`,
    ids,
  )
  if (!withPayload) return rows.map((row) => ({ ...toListed(row), payload: null }))
  const large = await readLargeValues(rows, makeRoom, (some) =>
    read<{ id: string; body: Buffer }>(sql`id, body`, some),
  )
  return rows.map((row) => toListed({ ...row, body: row.body ?? large.get(row.id)?.body ?? null }))
}

const toListed = (row: Omit<ListedRow, 'bytes'>): ListedEvent => ({
  id: row.id,
  type: row.type,
  createdAt: row.created_at,
  deliveries: row.deliveries,
  record: shownRecord(row.record_id),
  recordName: recordNameOf(row.body),
  payload: row.body,
})
