import type { StoredEvent } from '../../domain/event/event.js'
import type { Tenant } from '../../domain/tenant.js'
import type { Db } from '../connection/connection.js'
import { ofTenant } from '../tenant.js'

type EventRow = {
  company_id: string
  environment: string
  id: string
  type: string
  body: Buffer
  fingerprint: Buffer
  deliveries: number
  remaining: number
  created_at: Date
}

/** Inserts all or none. A repeated id raises the duplicate error, once another transaction with that id has ended. */
export async function insertEvents(trx: Db, tenant: Tenant, events: readonly StoredEvent[]): Promise<void> {
  const rows = events.map((event) => ({
    ...ofTenant(tenant),
    id: event.id,
    type: event.type,
    body: event.body,
    fingerprint: event.fingerprint,
    deliveries: event.deliveries,
    remaining: event.deliveries,
    created_at: event.createdAt,
  }))
  await trx<EventRow>('events').insert(rows)
}

/** The tenant's events among the ids, in no particular order. */
export async function findEvents(db: Db, tenant: Tenant, ids: readonly string[]): Promise<StoredEvent[]> {
  const rows = await db<EventRow>('events')
    .where(ofTenant(tenant))
    .whereIn('id', [...ids])
  return rows.map(toEvent)
}

const toEvent = (row: EventRow): StoredEvent => ({
  id: row.id,
  type: row.type,
  body: row.body,
  fingerprint: row.fingerprint,
  deliveries: row.deliveries,
  createdAt: row.created_at,
})
