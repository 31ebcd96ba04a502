import type { StoredEvent, PublishWay } from '../../domain/event/event.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db, SystemDb } from '../connection/connection.ts'
import { execute, insertRows, rawSql, readRows, run, sql, type Statement } from '../connection/statements.ts'
import { ofTenant, ofTenantSql } from '../conditions.ts'

type EventRow = {
  id: string
  type: string
  body: Buffer
  fingerprint: Buffer
  deliveries: number
  created_at: Date
  traceparent: string | null
  record_id: string | null
  published_by: string | null
  published_via: PublishWay | null
}

/**
 * Inserts all events or none. A repeated id raises the duplicate error, once the transaction that inserted it first has
 * committed.
 */
export async function insertEvents(trx: Db, tenant: Tenant, events: readonly StoredEvent[]): Promise<void> {
  await run(trx, eventRows(events.map((event) => ({ tenant, event }))))
}

/** The statement that inserts events of any tenants; see insertEvents. */
export const eventRows = (
  events: readonly { readonly tenant: Tenant; readonly event: StoredEvent }[],
): Statement =>
  insertRows(
    'events',
    events.map(({ tenant, event }) => ({
      ...ofTenant(tenant),
      id: event.id,
      type: event.type,
      body: event.body,
      fingerprint: event.fingerprint,
      deliveries: event.deliveries,
      remaining: event.deliveries,
      created_at: event.createdAt,
      published_by: event.publisher?.id ?? null,
      published_via: event.publisher?.via ?? null,
      traceparent: event.traceparent,
      record_id: event.record ?? '',
    })),
  )

/** The condition that a column is not the id of a test event. isTestEventId in domain/ids has the same rule. */
export const isNoTest = (column: string): Statement => rawSql(`LEFT(${column}, 9) <> 'evt_test_'`)

/** The record that an event is about, from the value of its column. In the column, '' means no record. */
export const shownRecord = (recordId: string | null): string | null => (recordId === '' ? null : recordId)

/** The tenant's events with these ids, in no particular order. */
export async function findEvents(db: Db, tenant: Tenant, ids: readonly string[]): Promise<StoredEvent[]> {
  const rows = await readRows<EventRow>(db)`
    SELECT * FROM events WHERE ${ofTenantSql(tenant)} AND id IN (${ids})`
  return rows.map(toEvent)
}

const toEvent = (row: EventRow): StoredEvent => ({
  id: row.id,
  type: row.type,
  body: row.body,
  fingerprint: row.fingerprint,
  deliveries: row.deliveries,
  createdAt: row.created_at,
  traceparent: row.traceparent,
  record: shownRecord(row.record_id) ?? undefined,
  publisher:
    row.published_by !== null && row.published_via !== null
      ? { id: row.published_by, via: row.published_via }
      : null,
})

/**
 * Adds the number of new deliveries to `remaining` of their events, or subtracts the number of removed ones. One
 * statement serves all events whose `remaining` changes by the same amount. It names the primary key. Otherwise MariaDB
 * would take 100 ms for 500 events to find out that this index is better than events_list.
 *
 * @param deliveries at least one
 * @param step 1 if they were made, -1 if they were removed
 */
export async function countRemaining(
  trx: SystemDb,
  deliveries: readonly {
    readonly company_id: string
    readonly environment: string
    readonly event_id: string
  }[],
  step: 1 | -1,
): Promise<void> {
  const ofEvents = Map.groupBy(deliveries, (key) => `${key.company_id} ${key.environment} ${key.event_id}`)
  for (const [count, alike] of Map.groupBy(ofEvents.values(), ({ length }) => length)) {
    const keys = alike.flatMap(([key]) =>
      key ? [sql`(${key.company_id}, ${key.environment}, ${key.event_id})`] : [],
    )
    await execute(trx)`
      UPDATE events FORCE INDEX (PRIMARY) SET remaining = remaining + ${count * step}
       WHERE (company_id, environment, id) IN (${keys})`
  }
}
