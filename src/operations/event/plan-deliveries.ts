import type { NewDelivery } from '../../db/delivery/deliveries.ts'
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

/** How many deliveries planDeliveries would plan. It costs as much as the events and subscribers are, not as their product. */
export function countDeliveries(events: readonly StoredEvent[], subscribers: readonly Subscriber[]): number {
  const ofType = new Map<string, number>()
  for (const { eventType } of subscribers) ofType.set(eventType, (ofType.get(eventType) ?? 0) + 1)
  return events.reduce((sum, { type }) => sum + (ofType.get(type) ?? 0), 0)
}

const newDelivery = (event: StoredEvent, { webhookId, maxRetries }: Subscriber): NewDelivery => ({
  id: newId('delivery'),
  webhookId,
  eventId: event.id,
  eventType: event.type,
  maxAttempts: maximumAttempts(maxRetries),
  createdAt: event.createdAt,
  isInTemporal: false,
})
