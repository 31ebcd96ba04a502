import type { NewDelivery } from '../../db/delivery/new-deliveries.ts'
import type { Subscriber, SubscriberQuery } from '../../db/webhook/subscriptions.ts'
import type { Deps } from '../../deps/deps.ts'
import type { StoredEvent } from '../../domain/event/event.ts'
import { newId } from '../../domain/ids.ts'
import { passes } from '../../domain/webhook/filter/compile.ts'
import { Judging } from '../../domain/webhook/filter/judging.ts'
import { maximumAttempts } from '../../domain/webhook/webhook.ts'
import type { ResourceRecord } from '../../domain/event/resources.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import { MOST_WORK } from '../../domain/webhook/filter/work.ts'

/** Events with their numbers of deliveries, and the deliveries. */
type PlannedEvents = {
  readonly events: readonly StoredEvent[]
  readonly deliveries: readonly NewDelivery[]
}

/**
 * For each event, plans one delivery to each subscriber of its type whose filter lets the event through. A filter takes
 * 1 ms at most. After about 50 ms of filters for one event, the remaining subscribers get it without a judgement.
 *
 * @param subscribers all of the same tenant as the events
 * @param judging adds up the work of the filters
 */
export async function planDeliveries(
  { filters }: Pick<Deps, 'filters'>,
  events: readonly StoredEvent[],
  subscribers: readonly Subscriber[],
  judging: Judging,
): Promise<PlannedEvents> {
  const planned: { events: StoredEvent[]; deliveries: NewDelivery[] } = { events: [], deliveries: [] }
  for (const event of events) {
    const ofType = subscribers.filter(({ eventType }) => eventType === event.type)
    const reached = await reachedBy(event, ofType, { filters, judging })
    planned.events.push({ ...event, deliveries: reached.length })
    for (const subscriber of reached) planned.deliveries.push(newDelivery(event, subscriber))
  }
  return planned
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
    const { filter, tenant } = subscriber
    const passed =
      filter === null || passes(await judging.judge(filters.get(tenant.companyId, filter), event))
    if (passed) reached.push(subscriber)
  }
  return reached
}

/** How many subscribers each event type has. */
function countByType(subscribers: readonly Subscriber[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { eventType } of subscribers) counts.set(eventType, (counts.get(eventType) ?? 0) + 1)
  return counts
}

/**
 * How many deliveries the events make if all filters match. Its time grows with the number of events, not of
 * subscribers.
 */
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

/** A publish that makes more deliveries than this gets its own transaction, so that no other publish waits for it. */
const MOST_SHARED_DELIVERIES = 100
/**
 * How much a company's filters may work for one batch: about 25 ms. After that, the company's remaining publishes get
 * transactions of their own.
 */
const MOST_FILTER_WORK = 25 * MOST_WORK

/** A publish that may share a transaction with others. */
export type SharedPublish = {
  readonly tenant: Tenant
  readonly events: readonly StoredEvent[]
  readonly record: ResourceRecord | undefined
}

type PlannedPublish = PlannedEvents & { readonly entry: SharedPublish }

/** One query for each tenant, with the types of all its events. */
export const queriesOf = (batch: readonly SharedPublish[]): SubscriberQuery[] =>
  [...byTenant(batch).values()].flatMap((entries) => {
    const eventTypes = typesOf(entries.flatMap(({ events }) => events))
    return entries[0] ? [{ tenant: entries[0].tenant, eventTypes }] : []
  })

/** The distinct types of events. */
export const typesOf = (events: readonly StoredEvent[]): string[] => [
  ...new Set(events.map(({ type }) => type)),
]

/**
 * Plans the publishes that share the transaction. It leaves out publishes with many deliveries, and publishes of a
 * company whose filters took long.
 */
export async function planShared(
  deps: Pick<Deps, 'filters'>,
  batch: readonly SharedPublish[],
  subscribers: readonly Subscriber[],
): Promise<PlannedPublish[]> {
  const planned: PlannedPublish[] = []
  const judgings = new Map<string, Judging>()
  const subscribersOf = new Map(
    [...byTenant(subscribers)].map(([key, items]) => [key, { items, counts: countByType(items) }]),
  )
  for (const entry of batch) {
    const { companyId } = entry.tenant
    const judging = judgings.get(companyId) ?? new Judging()
    judgings.set(companyId, judging)
    const { items = [], counts = new Map<string, number>() } =
      subscribersOf.get(tenantKey(entry.tenant)) ?? {}
    const deliveries = countDeliveries(entry.events, counts)
    if (deliveries > MOST_SHARED_DELIVERIES || judging.work > MOST_FILTER_WORK) continue
    planned.push({ entry, ...(await planDeliveries(deps, entry.events, items, judging)) })
  }
  return planned
}

const byTenant = <T extends { readonly tenant: Tenant }>(items: readonly T[]): Map<string, T[]> =>
  Map.groupBy(items, ({ tenant }) => tenantKey(tenant))

/** What the planned publishes write together. */
export const together = (planned: readonly PlannedPublish[]) => ({
  records: planned.flatMap(({ entry: { tenant, record } }) => (record ? [{ tenant, record }] : [])),
  events: planned.flatMap(({ entry: { tenant }, events }) => events.map((event) => ({ tenant, event }))),
  deliveries: planned.flatMap(({ entry: { tenant }, deliveries }) =>
    deliveries.map((delivery) => ({ tenant, delivery })),
  ),
})
