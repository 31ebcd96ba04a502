import type { Knex } from 'knex'
import { addToCounters } from '../db/counters.js'
import { inTransaction } from '../db/connection.js'
import { insertDeliveries, type NewDelivery } from '../db/deliveries.js'
import { enqueueCommands } from '../db/outbox.js'
import { listSubscribers, type Subscriber } from '../db/subscriptions.js'
import type { Deps } from '../deps.js'
import { createEvent, type StoredEvent } from '../domain/events.js'
import type { EventType } from '../domain/event-types.js'
import { newId } from '../domain/ids.js'
import type { Tenant } from '../domain/tenant.js'
import { maximumAttempts } from '../domain/webhooks.js'
import { findKnown, insertUnlessRepeated, toPublished, type PublishedEvent } from './event-repeats.js'

/** An event to publish; without an id it gets one. */
export type EventInput = { readonly id?: string; readonly type: EventType; readonly data: object }

/** Delivery rows that one transaction writes at most; above it a publish is split between whole events. */
const ROWS_PER_TRANSACTION = 10_000
const ROWS_PER_STATEMENT = 1_000

/**
 * Publishes events: the events, one delivery per active subscribed webhook and one outbox row per delivery, in one
 * transaction. A repeated id with the same content answers what the first publish answered and delivers nothing.
 *
 * @throws ApiError CONFLICT when an id was published with another content; VALIDATION_ERROR for too much data
 */
export async function publishEvents(
  deps: Deps,
  tenant: Tenant,
  inputs: readonly EventInput[],
): Promise<PublishedEvent[]> {
  const events = createEvents(deps, inputs)
  const chosen = inputs.map(({ id }) => id).filter((id) => id !== undefined)
  const known = await findKnown(deps, tenant, chosen, events)
  const fresh = events.filter(({ id }) => !known.has(id))
  const subscribers = await subscribersByType(deps, tenant, fresh)
  const results = new Map<string, PublishedEvent>(known)
  for (const chunk of chunksOfWholeEvents(fresh, subscribers)) {
    const published = await inTransaction(deps.db, (trx) => writeEvents(trx, tenant, chunk))
    for (const event of published) results.set(event.id, event)
  }
  if (fresh.length > 0) deps.doorbell.ring()
  return events.map(({ id }) => results.get(id)).filter((event) => event !== undefined)
}

/** Builds the stored form of the inputs, with ids and times. */
export function createEvents({ clock }: Deps, inputs: readonly EventInput[]): StoredEvent[] {
  const now = clock()
  return inputs.map(({ id, type, data }) => createEvent({ id: id ?? newId('event'), type, data, now }))
}

/**
 * Writes events with their deliveries in the caller's transaction: the second half of any change that publishes. The
 * caller rings the doorbell after its commit.
 */
export async function writeEvents(
  trx: Knex.Transaction,
  tenant: Tenant,
  events: readonly StoredEvent[],
): Promise<PublishedEvent[]> {
  const types = [...new Set(events.map(({ type }) => type))]
  const subscribers = await listSubscribers(trx, tenant, types)
  const counted = events.map((event) => ({
    ...event,
    deliveries: subscribers.filter(({ eventType }) => eventType === event.type).length,
  }))
  const { fresh, repeated } = await insertUnlessRepeated(trx, tenant, counted)
  await writeDeliveries(trx, tenant, fresh, subscribers)
  return [
    ...fresh.map((event) => toPublished(event, true)),
    ...repeated.map((event) => toPublished(event, false)),
  ]
}

async function writeDeliveries(
  trx: Knex.Transaction,
  tenant: Tenant,
  events: readonly StoredEvent[],
  subscribers: readonly Subscriber[],
): Promise<void> {
  const deliveries = events.flatMap((event) =>
    subscribers
      .filter(({ eventType }) => eventType === event.type)
      .map((subscriber) => newDelivery(event, subscriber)),
  )
  for (let from = 0; from < deliveries.length; from += ROWS_PER_STATEMENT) {
    const some = deliveries.slice(from, from + ROWS_PER_STATEMENT)
    await insertDeliveries(trx, tenant, some)
    await enqueueCommands(
      trx,
      tenant,
      some.map(({ id, webhookId }) => ({ kind: 'start', subjectId: id, lane: webhookId })),
    )
  }
  await addToCounters(
    trx,
    deliveries.map(({ webhookId }) => ({ webhookId, changes: { pending: 1 } })),
  )
}

async function subscribersByType(
  { db }: Deps,
  tenant: Tenant,
  events: readonly StoredEvent[],
): Promise<Map<string, number>> {
  // One event never makes more rows than a tenant has webhooks; only a batch can pass the limit of a transaction.
  if (events.length < 2) return new Map()
  const subscribers = await listSubscribers(db, tenant, [...new Set(events.map(({ type }) => type))])
  const counts = new Map<string, number>()
  for (const { eventType } of subscribers) counts.set(eventType, (counts.get(eventType) ?? 0) + 1)
  return counts
}

function chunksOfWholeEvents(
  events: readonly StoredEvent[],
  rowsByType: Map<string, number>,
): StoredEvent[][] {
  const chunks: StoredEvent[][] = []
  let rows = Number.POSITIVE_INFINITY
  for (const event of events) {
    const added = rowsByType.get(event.type) ?? 0
    if (rows + added > ROWS_PER_TRANSACTION) {
      chunks.push([])
      rows = 0
    }
    chunks.at(-1)?.push(event)
    rows += added
  }
  return chunks
}

const newDelivery = (event: StoredEvent, { webhookId, maxRetries }: Subscriber): NewDelivery => ({
  id: newId('delivery'),
  webhookId,
  eventId: event.id,
  eventType: event.type,
  maxAttempts: maximumAttempts(maxRetries),
  createdAt: event.createdAt,
})
