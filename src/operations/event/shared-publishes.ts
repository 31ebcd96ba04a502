import { commitPublishes } from '../../db/event/commit-publish.ts'
import { listSubscribers, type SubscriberQuery } from '../../db/webhook/subscriptions.ts'
import { isLost } from '../../domain/database-errors.ts'
import type { ResourceRecord } from '../../domain/event/resources.ts'
import type { StoredEvent } from '../../domain/event/event.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import type { NewDelivery } from '../../db/delivery/deliveries.ts'
import type { Deps, Hint } from '../../process/deps.ts'
import { planDeliveries, type PlannedEvents } from './plan-deliveries.ts'

/** Events that one transaction writes at most; a single publish may bring 100. */
const BATCH_EVENTS = 400
/** Bytes of events that one transaction writes at most. As SQL they are twice as long, and a packet has a limit. */
const BATCH_BYTES = 1024 * 1024
/** A publish that makes more deliveries has a transaction of its own, so that others do not wait for it. */
const MOST_DELIVERIES = 100

type Waiting = {
  readonly tenant: Tenant
  readonly events: readonly StoredEvent[]
  readonly record: ResourceRecord | undefined
  readonly bytes: number
  readonly resolve: (written: readonly StoredEvent[] | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Lets publishes of this process share transactions: those that arrive while one commits are written by the next. Under
 * load many share a commit, and a single one is written at once. Only events whose ids were made here may come, because a
 * repeated id waits for the transaction of the first, and everybody else would wait with it.
 */
export class SharedPublishes {
  readonly #deps: Pick<Deps, 'batchDb' | 'doorbell'>
  #waiting: Waiting[] = []
  #isWriting = false

  constructor(deps: Pick<Deps, 'batchDb' | 'doorbell'>) {
    this.#deps = deps
  }

  /**
   * Writes the events with their deliveries.
   *
   * @param events at least one
   * @param record a new record that the events tell of, written with them
   * @returns the events with their numbers of deliveries; undefined when nothing is written and the publish needs a
   *   transaction of its own, because it makes many deliveries or the shared transaction failed
   * @throws the database's error when the database is lost
   */
  publish(
    tenant: Tenant,
    events: readonly StoredEvent[],
    record?: ResourceRecord,
  ): Promise<readonly StoredEvent[] | undefined> {
    // A record is not much larger than one of its events.
    const bytes = events.reduce((sum, { body }) => sum + body.length, 0) * (record ? 2 : 1)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ tenant, events, record, bytes, resolve, reject })
      if (!this.#isWriting) void this.#writeAll()
    })
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) await this.#write(this.#takeBatch())
    this.#isWriting = false
  }

  /** The longest waiting ones that fit into a transaction, and one at least. */
  #takeBatch(): Waiting[] {
    let events = 0
    let bytes = 0
    const end = this.#waiting.findIndex((entry) => {
      events += entry.events.length
      bytes += entry.bytes
      return events > BATCH_EVENTS || bytes > BATCH_BYTES
    })
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : Math.max(end, 1))
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { batchDb, doorbell } = this.#deps
    try {
      const subscribers = byTenant(await listSubscribers(batchDb, queriesOf(batch)))
      const planned = batch.map((entry) => ({
        entry,
        ...planDeliveries(entry.events, subscribers.get(tenantKey(entry.tenant))?.items ?? []),
      }))
      const shared = planned.filter(({ deliveries }) => deliveries.length <= MOST_DELIVERIES)
      const publishes = together(shared)
      if (shared.length > 0) await commitPublishes(batchDb, publishes)
      doorbell.ring(publishes.deliveries.map(hintOf))
      for (const { entry, events, deliveries } of planned) {
        entry.resolve(deliveries.length <= MOST_DELIVERIES ? events : undefined)
      }
    } catch (error) {
      // One caller's fault must not fail the others: each tries once more alone, unless that would fail too.
      for (const { resolve, reject } of batch) {
        if (isLost(error)) reject(error)
        else resolve(undefined)
      }
    }
  }
}

/** One query for each tenant, with the types of all its events. */
const queriesOf = (batch: readonly Waiting[]): SubscriberQuery[] =>
  [...byTenant(batch).values()].map(({ tenant, items }) => ({
    tenant,
    eventTypes: [...new Set(items.flatMap(({ events }) => events.map(({ type }) => type)))],
  }))

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

const hintOf = ({ tenant, delivery }: { readonly tenant: Tenant; readonly delivery: NewDelivery }): Hint => ({
  companyId: tenant.companyId,
  queue: delivery.webhookId,
})

const together = (planned: readonly ({ readonly entry: Waiting } & PlannedEvents)[]) => ({
  records: planned.flatMap(({ entry: { tenant, record } }) => (record ? [{ tenant, record }] : [])),
  events: planned.flatMap(({ entry: { tenant }, events }) => events.map((event) => ({ tenant, event }))),
  deliveries: planned.flatMap(({ entry: { tenant }, deliveries }) =>
    deliveries.map((delivery) => ({ tenant, delivery })),
  ),
})
