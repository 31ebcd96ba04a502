import type { ListWindow } from '../../domain/pagination.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import {
  INLINE_BYTES,
  readLargeValues,
  unlimitedRoom,
  type MakeRoom,
  type SizedRow,
} from '../connection/large-values.ts'
import { placeholders, readRows } from '../connection/statements.ts'
import { findPlaces, type FoundPlaces } from '../list-places.ts'
import type { ListPart } from '../place-statements.ts'
import { ofTenantSql } from '../tenant.ts'
import { isNoTest } from './events.ts'

/** Which events a list shows. */
export type EventFilter = ListWindow & { readonly eventType?: string | undefined }

/** An event as a list shows it. */
export type ListedEvent = {
  readonly id: string
  readonly type: string
  readonly createdAt: Date
  /** To how many webhooks it went. */
  readonly deliveries: number
  /** The bytes that were sent; null where the list leaves them out. */
  readonly payload: Buffer | null
}

/** Finds the places of a part of the tenant's events, newest first. See findPlaces for what it costs. */
export function findEventPlaces(
  db: Db,
  tenant: Tenant,
  { eventType, createdAfter, createdBefore }: EventFilter,
  part: Pick<ListPart, 'limit' | 'before'>,
): Promise<FoundPlaces> {
  const joinRow =
    'LEFT JOIN events e FORCE INDEX (PRIMARY) ON e.company_id = ? AND e.environment = ? AND e.id = scanned.id'
  const listing = {
    from: 'events FORCE INDEX (events_list)',
    ranges: [ofTenantSql(tenant)],
    shows:
      eventType === undefined
        ? undefined
        : {
            joins: { sql: joinRow, values: ofTenantSql(tenant).values },
            condition: { sql: 'e.type = ?', values: [eventType] },
          },
  }
  return findPlaces(db, listing, { ...part, createdAfter, createdBefore })
}

/** Events that a search for those of some types looks at. */
const MOST_LOOKED_AT = 10_000

/** Ids of the latest real events of the types, newest first, among the latest 10,000 of the tenant. */
export async function listLatestOfTypes(
  db: Db,
  tenant: Tenant,
  {
    types,
    since,
    limit,
  }: { readonly types: readonly string[]; readonly since: Date; readonly limit: number },
): Promise<string[]> {
  const { sql, values } = ofTenantSql(tenant)
  const rows = await readRows<{ id: string }>(db, {
    sql: `SELECT id FROM (SELECT id, type, created_at FROM events FORCE INDEX (events_list)
                           WHERE ${sql} AND created_at >= ? ORDER BY created_at DESC, id DESC LIMIT ${MOST_LOOKED_AT}) latest
           WHERE type IN (${placeholders(types.length)}) AND ${isNoTest('id')}
           ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
    values: [...values, since, ...types],
  })
  return rows.map(({ id }) => id)
}

type ListedRow = SizedRow & { type: string; created_at: Date; deliveries: number; body: Buffer | null }

/**
 * The tenant's events among the ids, in no particular order. Large payloads are read in slices once `makeRoom` knows their
 * size.
 */
export async function findListedEvents(
  db: Db,
  tenant: Tenant,
  ids: readonly string[],
  { withPayload, makeRoom = unlimitedRoom }: { withPayload: boolean; makeRoom?: MakeRoom },
): Promise<ListedEvent[]> {
  const own = ofTenantSql(tenant)
  const read = <Row>(columns: string, some: readonly string[]): Promise<Row[]> =>
    readRows(db, {
      sql: `SELECT ${columns} FROM events WHERE ${own.sql} AND id IN (${placeholders(some.length)})`,
      values: [...own.values, ...some],
    })
  const columns = 'id, type, created_at, deliveries'
  if (!withPayload) return (await read<ListedRow>(columns, ids)).map(toListed)
  const inline = `OCTET_LENGTH(body) AS bytes, IF(OCTET_LENGTH(body) <= ${INLINE_BYTES}, body, NULL) AS body`
  const rows = await read<ListedRow>(`${columns}, ${inline}`, ids)
  const large = await readLargeValues(rows, makeRoom, (some) =>
    read<{ id: string; body: Buffer }>('id, body', some),
  )
  return rows.map((row) => toListed({ ...row, body: row.body ?? large.get(row.id)?.body ?? null }))
}

const toListed = (
  row: Omit<ListedRow, 'bytes' | 'body'> & { readonly body?: Buffer | null },
): ListedEvent => ({
  id: row.id,
  type: row.type,
  createdAt: row.created_at,
  deliveries: row.deliveries,
  payload: row.body ?? null,
})
