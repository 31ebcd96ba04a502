import { newId } from '../../domain/ids.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { maximumAttempts } from '../../domain/webhook/webhook.ts'
import { ofTenant, ofTenantSql } from '../conditions.ts'
import type { SystemDb } from '../connection/connection.ts'
import { keyTable, readRows } from '../connection/statements.ts'
import { insertDeliveries, type NewDelivery } from '../delivery/new-deliveries.ts'
import { countRemaining } from '../event/events.ts'
import { insertStarts } from '../outbox/outbox.ts'
import { addToCounters } from '../webhook/counters.ts'
import { listSubscriptions } from '../webhook/subscriptions.ts'
import { placeOf, type MissedEvent, type MissedPage } from './missed-events.ts'
import { noteTaken, type Take } from './pages.ts'

/**
 * Makes the deliveries of a page of missed events. It locks the events, so that none of them is purged at the same time. It
 * skips events that have a delivery for the webhook, or whose type the webhook no longer subscribes to.
 */
export const takeMissed =
  ({ events, next }: MissedPage): Take =>
  async (trx, row, { room, maxRetries, now }) => {
    const { webhook_id: webhookId, company_id: companyId, environment } = row
    const tenant = { companyId, environment }
    const wanted = events.slice(0, room)
    const isWhole = wanted.length === events.length
    const last = wanted.at(-1)
    const cursor = isWhole ? next : last && placeOf(last)
    const missed = wanted.length === 0 ? [] : await lockMissed(trx, tenant, webhookId, wanted)
    const deliveries = missed.map((event): NewDelivery => ({
      id: newId('delivery'),
      webhookId,
      eventId: event.id,
      eventType: event.type,
      createdAt: now,
      maxAttempts: maximumAttempts(maxRetries),
      isInTemporal: false,
      recoveryBase: 0,
    }))
    if (deliveries.length > 0) {
      await insertDeliveries(trx, tenant, deliveries)
      await insertStarts(trx, tenant, deliveries)
    }
    if (cursor)
      await noteTaken(
        trx,
        row.id,
        cursor,
        deliveries.map(({ id }) => ({ id, attempts: 0 })),
      )
    if (deliveries.length > 0) {
      await addToCounters(trx, [{ webhookId, changes: { pending: deliveries.length } }])
    }
    return { isWhole, queued: deliveries.length }
  }

/** Locks the events, and counts one more delivery for each that is still missed. @returns the missed ones */
async function lockMissed(
  trx: SystemDb,
  tenant: Tenant,
  webhookId: string,
  events: readonly MissedEvent[],
): Promise<MissedEvent[]> {
  const ids = events.map(({ id }) => id)
  const locked = await readRows<{ id: string }>(trx)`
    SELECT e.id FROM ${keyTable(ids)} wanted
      STRAIGHT_JOIN events e FORCE INDEX (PRIMARY)
         ON ${ofTenantSql(tenant, 'e')} AND e.id = wanted.value
        FOR UPDATE`
  const there = new Set(locked.map(({ id }) => id))
  const found = await readRows<{ event_id: string }>(trx)`
    SELECT event_id FROM deliveries WHERE event_id IN (${ids}) AND webhook_id = ${webhookId}`
  const delivered = new Set(found.map(({ event_id }) => event_id))
  const subscriptions = await listSubscriptions(trx, tenant, [webhookId])
  const types = subscriptions.get(webhookId) ?? []
  const missed = events.filter(({ id, type }) => there.has(id) && !delivered.has(id) && types.includes(type))
  const counted = missed.map(({ id }) => ({ ...ofTenant(tenant), event_id: id }))
  if (counted.length > 0) await countRemaining(trx, counted, 1)
  return missed
}
