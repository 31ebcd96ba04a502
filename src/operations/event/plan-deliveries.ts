import type { NewDelivery } from '../../db/delivery/new-deliveries.ts'
import type { Subscriber } from '../../db/webhook/subscriptions.ts'
import type { StoredEvent } from '../../domain/event/event.ts'
import { newId } from '../../domain/ids.ts'
import { passes } from '../../domain/webhook/filter/compile.ts'
import { Judging } from '../../domain/webhook/filter/judging.ts'
import { maximumAttempts } from '../../domain/webhook/webhook.ts'
import type { Deps } from '../../deps/deps.ts'

/** Events with their numbers of deliveries, and these deliveries. */
export type PlannedEvents = {
  readonly events: readonly StoredEvent[]
  readonly deliveries: readonly NewDelivery[]
}

/**
 * Plans one delivery for each event and subscriber of its type whose filter lets it through. Filters take time for each event
 * and subscriber, 1 ms at most, and 50 ms for each event: the subscribers behind get it unjudged.
 *
 * @param subscribers of the tenant of the events
 * @param judging adds up the work of the filters
 */
export async function planDeliveries(
  { filters }: Pick<Deps, 'filters'>,
  events: readonly StoredEvent[],
  subscribers: readonly Subscriber[],
  judging = new Judging(),
): Promise<PlannedEvents> {
  const planned: { readonly event: StoredEvent; readonly deliveries: readonly NewDelivery[] }[] = []
  for (const event of events) {
    const ofType = subscribers.filter(({ eventType }) => eventType === event.type)
    const reached = await reachedBy(event, ofType, { filters, judging })
    const deliveries = reached.map((subscriber) => newDelivery(event, subscriber))
    planned.push({ event: { ...event, deliveries: deliveries.length }, deliveries })
  }
  return {
    events: planned.map(({ event }) => event),
    deliveries: planned.flatMap(({ deliveries }) => deliveries),
  }
}

async function reachedBy(
  { body }: StoredEvent,
  subscribers: readonly Subscriber[],
  { filters, judging }: Pick<Deps, 'filters'> & { readonly judging: Judging },
): Promise<readonly Subscriber[]> {
  if (subscribers.every(({ filter }) => filter === null)) return subscribers
  const event = judging.eventOf(body)
  const reached: Subscriber[] = []
  for (const subscriber of subscribers) {
    const { filter } = subscriber
    if (
      filter === null ||
      passes(await judging.judge(filters.get(subscriber.tenant.companyId, filter), event))
    )
      reached.push(subscriber)
  }
  return reached
}

/** How many subscribers each event type has. */
export function countByType(subscribers: readonly Subscriber[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { eventType } of subscribers) counts.set(eventType, (counts.get(eventType) ?? 0) + 1)
  return counts
}

/** How many deliveries the events make at most: filters are not asked. Takes time for each event, not for each subscriber. */
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
