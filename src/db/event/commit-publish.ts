import type { StoredEvent } from '../../domain/event/event.js'
import type { Tenant } from '../../domain/tenant.js'
import type { Db } from '../connection/connection.js'
import { inBatchTransaction } from '../connection/statements.js'
import { deliveryRows, type NewDelivery } from '../delivery/deliveries.js'
import { startRows } from '../outbox.js'
import { counterRows } from '../webhook/counters.js'
import { eventRows } from './events.js'

/** New events of any tenants with their deliveries. */
export type NewPublishes = {
  readonly events: readonly { readonly tenant: Tenant; readonly event: StoredEvent }[]
  readonly deliveries: readonly { readonly tenant: Tenant; readonly delivery: NewDelivery }[]
}

/**
 * Writes events, deliveries, start rows and counters in one transaction and one round trip. Rows go in the order of
 * their keys, counters last, so that two processes that publish cannot deadlock.
 *
 * @throws the database's error, also that of a deadlock or lock time-out: each publish then tries alone
 */
export async function commitPublishes(batchDb: Db, { events, deliveries }: NewPublishes): Promise<void> {
  const ordered = deliveries.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1))
  const forDeliveries = () => [
    deliveryRows(ordered),
    startRows(ordered.map(({ tenant, delivery }) => ({ ...delivery, companyId: tenant.companyId }))),
    counterRows(ordered.map(({ delivery: { webhookId } }) => ({ webhookId, changes: { pending: 1 } }))),
  ]
  const statements = [
    eventRows(events.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))),
    ...(ordered.length > 0 ? forDeliveries() : []),
  ]
  await inBatchTransaction(batchDb, (trx) => trx.commit(statements), { tries: 1 })
}

const keyOf = ({ tenant, event }: NewPublishes['events'][number]) =>
  `${tenant.companyId} ${tenant.environment} ${event.id}`
