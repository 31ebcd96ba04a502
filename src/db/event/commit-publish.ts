import type { StoredEvent } from '../../domain/event/event.ts'
import type { ResourceRecord } from '../../domain/event/resources.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { inBatchTransaction, runTogether } from '../connection/statements.ts'
import { deliveryRows, type NewDelivery } from '../delivery/new-deliveries.ts'
import { startRows } from '../outbox/outbox.ts'
import { counterRows } from '../webhook/counters.ts'
import { eventRows } from './events.ts'
import { feedStatements } from './feed.ts'
import { resourceCounterRows } from './resource-counters.ts'
import { resourceRows } from './resource-rows.ts'

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

/** The most rows of one INSERT. To build the text of 1,000 rows would delay other requests by tens of milliseconds. */
const ROWS_PER_STATEMENT = 250

/**
 * Inserts the deliveries of a publish with their start rows, and adds them to the counters of their webhooks. Up to 250
 * deliveries take one round trip.
 *
 * @param trx of `publishDb`
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
