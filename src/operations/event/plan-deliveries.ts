import type { NewDelivery } from '../../db/delivery/new-deliveries.ts'
import type { Subscriber } from '../../db/webhook/subscriptions.ts'
import type { StoredEvent } from '../../domain/event/event.ts'
import { newId } from '../../domain/ids.ts'
import { maximumAttempts } from '../../domain/webhook/webhook.ts'

/** Events with their numbers of deliveries, and these deliveries. */
export type PlannedEvents = {
  readonly events: readonly StoredEvent[]
  readonly deliveries: readonly NewDelivery[]
}

/**
 * Plans one delivery for each event and subscriber of its type.
 *
 * @param subscribers of the tenant of the events
 */
export function planDeliveries(
  events: readonly StoredEvent[],
  subscribers: readonly Subscriber[],
): PlannedEvents {
  const planned = events.map((event) => {
    const deliveries = subscribers
      .filter(({ eventType }) => eventType === event.type)
      .map((subscriber) => newDelivery(event, subscriber))
    return { event: { ...event, deliveries: deliveries.length }, deliveries }
  })
  return {
    events: planned.map(({ event }) => event),
    deliveries: planned.flatMap(({ deliveries }) => deliveries),
  }
}

/** How many subscribers each event type has. */
export function countByType(subscribers: readonly Subscriber[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { eventType } of subscribers) counts.set(eventType, (counts.get(eventType) ?? 0) + 1)
  return counts
}

/** How many deliveries the events make. Takes time for each event, not for each event and subscriber. */
export const countDeliveries = (
  events: readonly StoredEvent[],
  subscribersOf: ReadonlyMap<string, number>,
): number => events.reduce((sum, { type }) => sum + (subscribersOf.get(type) ?? 0), 0)

const newDelivery = (event: StoredEvent, { webhookId, maxRetries }: Subscriber): NewDelivery => ({
  id: newId('delivery'),
  webhookId,
  eventId: event.id,
  eventType: event.type,
  maxAttempts: maximumAttempts(maxRetries),
  createdAt: event.createdAt,
  isInTemporal: false,
})
