import { newId } from '../../domain/ids.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { maximumAttempts } from '../../domain/webhook/webhook.ts'
import type { SystemDb } from '../connection/connection.ts'
import { placeholders, rowsOf, run } from '../connection/statements.ts'
import { insertDeliveries, type NewDelivery } from '../delivery/deliveries.ts'
import { insertStarts } from '../outbox/outbox.ts'
import { addToCounters } from '../webhook/counters.ts'
import { placeOf, type MissedEvent, type MissedPage } from './missed-events.ts'
import { noteTaken, type Take } from './taking-failed.ts'

/**
 * Makes the deliveries of a page of missed events. It locks the events, so none of them is purged meanwhile; those that have a
 * delivery for the webhook, or whose type it no longer subscribes to, are passed over.
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

/** Counts one more delivery of each of the events that is still missed. @returns these */
async function lockMissed(
  trx: SystemDb,
  { companyId, environment }: Tenant,
  webhookId: string,
  events: readonly MissedEvent[],
): Promise<MissedEvent[]> {
  const ids = events.map(({ id }) => id)
  const ofEvents = `company_id = ? AND environment = ? AND id IN`
  const locked = await run(trx, {
    sql: `SELECT id FROM events FORCE INDEX (PRIMARY) WHERE ${ofEvents} (${placeholders(ids.length)}) ORDER BY id FOR UPDATE`,
    values: [companyId, environment, ...ids],
  })
  const there = new Set(rowsOf<{ id: string }>(locked).map(({ id }) => id))
  const delivered = new Set(
    (await trx('deliveries')
      .whereIn('event_id', ids)
      .where({ webhook_id: webhookId })
      .pluck('event_id')) as string[],
  )
  const types = (await trx('webhook_event_types')
    .where({ webhook_id: webhookId })
    .pluck('event_type')) as string[]
  const missed = events.filter(({ id, type }) => there.has(id) && !delivered.has(id) && types.includes(type))
  if (missed.length > 0) {
    await run(trx, {
      sql: `UPDATE events FORCE INDEX (PRIMARY) SET remaining = remaining + 1 WHERE ${ofEvents} (${placeholders(missed.length)})`,
      values: [companyId, environment, ...missed.map(({ id }) => id)],
    })
  }
  return missed
}
