import type { Subscriber, SubscriberQuery } from '../../db/webhook/subscriptions.ts'
import type { StoredEvent } from '../../domain/event/event.ts'
import type { ResourceRecord } from '../../domain/event/resources.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import { Judging } from '../../domain/webhook/filter/judging.ts'
import { MOST_WORK } from '../../domain/webhook/filter/work.ts'
import type { Deps } from '../../deps/deps.ts'
import { countByType, countDeliveries, planDeliveries, type PlannedEvents } from './plan-deliveries.ts'

/** A publish that makes more deliveries has a transaction of its own, so that others do not wait for it. */
const MOST_DELIVERIES = 100
/** Once the filters of a company took so much work, about 25 ms, its other publishes have transactions of their own too. */
const MOST_FILTER_WORK = 25 * MOST_WORK

/** A publish that may share a transaction with others. */
export type SharedPublish = {
  readonly tenant: Tenant
  readonly events: readonly StoredEvent[]
  readonly record: ResourceRecord | undefined
}

/** One query for each tenant, with the types of all its events. */
export const queriesOf = (batch: readonly SharedPublish[]): SubscriberQuery[] =>
  [...byTenant(batch).values()].map(({ tenant, items }) => ({
    tenant,
    eventTypes: [...new Set(items.flatMap(({ events }) => events.map(({ type }) => type)))],
  }))

/** Plans those that share the transaction: none with many deliveries, and none whose company has costly filters. */
export async function planShared(
  deps: Pick<Deps, 'filters'>,
  batch: readonly SharedPublish[],
  subscribers: readonly Subscriber[],
): Promise<(PlannedEvents & { readonly entry: SharedPublish })[]> {
  const planned: (PlannedEvents & { readonly entry: SharedPublish })[] = []
  const judgings = new Map<string, Judging>()
  const reached = new Map(
    [...byTenant(subscribers)].map(([key, { items }]) => [key, { items, counts: countByType(items) }]),
  )
  for (const entry of batch) {
    const { companyId } = entry.tenant
    const judging = judgings.get(companyId) ?? new Judging()
    judgings.set(companyId, judging)
    const { items = [], counts = new Map<string, number>() } = reached.get(tenantKey(entry.tenant)) ?? {}
    const deliveries = countDeliveries(entry.events, counts)
    if (deliveries > MOST_DELIVERIES || judging.work > MOST_FILTER_WORK) continue
    planned.push({ entry, ...(await planDeliveries(deps, entry.events, items, judging)) })
  }
  return planned
}

type OfTenant<T> = { readonly tenant: Tenant; readonly items: T[] }

function byTenant<T extends { readonly tenant: Tenant }>(items: readonly T[]): Map<string, OfTenant<T>> {
  const groups = new Map<string, OfTenant<T>>()
  for (const item of items) {
    const { tenant } = item
    const group = groups.get(tenantKey(tenant)) ?? { tenant, items: [] }
    groups.set(tenantKey(tenant), group)
    group.items.push(item)
  }
  return groups
}

export const together = (planned: readonly ({ readonly entry: SharedPublish } & PlannedEvents)[]) => ({
  records: planned.flatMap(({ entry: { tenant, record } }) => (record ? [{ tenant, record }] : [])),
  events: planned.flatMap(({ entry: { tenant }, events }) => events.map((event) => ({ tenant, event }))),
  deliveries: planned.flatMap(({ entry: { tenant }, deliveries }) =>
    deliveries.map((delivery) => ({ tenant, delivery })),
  ),
})
