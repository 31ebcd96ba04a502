import type { Delivery } from '../../domain/delivery/delivery.ts'
import { type Tenant, tenantKey } from '../../domain/tenant.ts'
import { afterNow } from '../clock.ts'
import { ofTenant, ofTenantSql } from '../conditions.ts'
import type { Db } from '../connection/connection.ts'
import {
  execute,
  insertRows,
  readRows,
  run,
  type Statement,
  inBatchTransaction,
  runTogether,
} from '../connection/statements.ts'
import type { StoredEvent } from '../../domain/event/event.ts'
import type { ResourceRecord } from '../../domain/event/resources.ts'
import { startRows } from '../outbox/outbox.ts'
import { counterRows } from '../webhook/counters.ts'
import { eventRows } from '../event/events.ts'
import { feedStatements } from '../event/feed.ts'
import { resourceCounterRows, resourceRows } from '../event/resource-rows.ts'

/** A delivery that is about to be made for an event. */
export type NewDelivery = Pick<
  Delivery,
  'id' | 'webhookId' | 'eventId' | 'eventType' | 'maxAttempts' | 'createdAt' | 'isInTemporal'
> & {
  /**
   * The delivery counts as overdue only after this many milliseconds. Until then the caller that made the delivery
   * looks after it. By default 0.
   */
  readonly guardedMs?: number
  /** Set if the delivery repeats another one: the id of that delivery, and the number from takeDeliveryNumber. */
  readonly resend?: { readonly of: string; readonly number: number }
  /** 0 if a recovery makes it; otherwise absent. */
  readonly recoveryBase?: number
}

/** Inserts pending deliveries, due at once. */
export async function insertDeliveries(
  trx: Db,
  tenant: Tenant,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  await run(trx, deliveryRows(deliveries.map((delivery) => ({ tenant, delivery }))))
}

/** The statement that inserts deliveries of any tenants; see insertDeliveries. */
const deliveryRows = (
  deliveries: readonly { readonly tenant: Tenant; readonly delivery: NewDelivery }[],
): Statement =>
  insertRows(
    'deliveries',
    deliveries.map(({ tenant, delivery }) => ({
      ...ofTenant(tenant),
      id: delivery.id,
      webhook_id: delivery.webhookId,
      event_id: delivery.eventId,
      event_type: delivery.eventType,
      status: 'pending',
      max_attempts: delivery.maxAttempts,
      created_at: delivery.createdAt,
      in_temporal: delivery.isInTemporal ? 1 : 0,
      resend_of: delivery.resend?.of ?? null,
      resend_no: delivery.resend?.number ?? 0,
      recovery_base: delivery.recoveryBase ?? null,
      wake_at: afterNow(delivery.guardedMs ?? 0),
    })),
  )

/**
 * Adds one to the event's count of deliveries that the purge has not removed. Returns the number of the new delivery
 * among all deliveries of this event to this webhook: 0 for the first one, 1 or more for repetitions. It locks the
 * event, so that no two deliveries get the same number.
 *
 * @returns undefined if the event was removed
 */
export async function takeDeliveryNumber(
  trx: Db,
  tenant: Tenant,
  { eventId, webhookId }: Pick<Delivery, 'eventId' | 'webhookId'>,
): Promise<number | undefined> {
  const counted = await execute(trx)`
    UPDATE events SET remaining = remaining + 1 WHERE ${ofTenantSql(tenant)} AND id = ${eventId}`
  if (counted === 0) return undefined
  const found = await readRows<{ next: number | string }>(trx)`
    SELECT COALESCE(MAX(resend_no) + 1, 0) AS next FROM deliveries FORCE INDEX (deliveries_event)
     WHERE event_id = ${eventId} AND webhook_id = ${webhookId}`
  return Number(found[0]?.next ?? 0)
}

/** New events of any tenants with their deliveries, and new records that some of the events are about. */
export type NewPublishes = {
  readonly records: readonly { readonly tenant: Tenant; readonly record: ResourceRecord }[]
  readonly events: readonly { readonly tenant: Tenant; readonly event: StoredEvent }[]
  readonly deliveries: readonly { readonly tenant: Tenant; readonly delivery: NewDelivery }[]
}

/**
 * Writes records, events, deliveries, start rows and counters in one transaction and one round trip. Rows are written in the
 * order of their keys, then the counters, and last the places in the feed. So two processes that publish cannot deadlock.
 *
 * @throws the database's error, also after a deadlock or lock time-out. The caller then tries each publish alone
 */
export async function commitPublishes(
  batchDb: Db,
  { records, events, deliveries }: NewPublishes,
): Promise<void> {
  const ordered = deliveries.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1))
  const statements = [
    ...(records.length > 0 ? [resourceRows(records)] : []),
    eventRows(events.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))),
    ...(ordered.length > 0 ? [...rowsToStart(ordered), countersOf(ordered)] : []),
    ...(records.length > 0 ? [resourceCounterRows(records.map(toCount))] : []),
    ...feedStatements(events),
  ]
  await inBatchTransaction(batchDb, (trx) => trx.commit(statements), { tries: 1 })
}

/**
 * One INSERT writes at most this many rows. Building the text of 1,000 rows would delay other requests by tens of
 * milliseconds.
 */
const ROWS_PER_STATEMENT = 250

/**
 * Inserts the deliveries of a publish with their start rows, and adds them to the counters of their webhooks. Up to 250
 * deliveries take one round trip.
 *
 * @param trx a transaction of `publishDb`
 */
export async function insertDeliveriesToStart(
  trx: Db,
  tenant: Tenant,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const all = deliveries.map((delivery) => ({ tenant, delivery }))
  for (let from = 0; from < all.length; from += ROWS_PER_STATEMENT) {
    const some = all.slice(from, from + ROWS_PER_STATEMENT)
    const isLast = from + some.length === all.length
    await runTogether(trx, [...rowsToStart(some), ...(isLast ? [countersOf(all)] : [])])
  }
}

type Placed = NewPublishes['deliveries'][number]

const rowsToStart = (deliveries: readonly Placed[]) => [
  deliveryRows(deliveries),
  startRows(deliveries.map(({ tenant, delivery }) => ({ ...delivery, companyId: tenant.companyId }))),
]

const countersOf = (deliveries: readonly Placed[]) =>
  counterRows(deliveries.map(({ delivery: { webhookId } }) => ({ webhookId, changes: { pending: 1 } })))

const toCount = ({ tenant, record: { family } }: NewPublishes['records'][number]) => ({
  tenant,
  family,
  records: 1,
})

const keyOf = ({ tenant, event }: NewPublishes['events'][number]) => `${tenantKey(tenant)} ${event.id}`
