import type { Knex } from 'knex'
import { lockCompany } from '../../db/companies.ts'
import { countSubscribers } from '../../db/webhook/subscriptions.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Actor } from '../../domain/actor.ts'
import {
  createEvent,
  type EventContent,
  type StoredEvent,
  publisherOf,
  type Publisher,
} from '../../domain/event/event.ts'
import type { EventType } from '../../domain/event/catalog.ts'
import { newId } from '../../domain/ids.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { invalid, type ApiError } from '../../domain/errors.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { ConcurrencyLimit } from '../concurrency-limit.ts'
import { findKnown, toPublished, type PublishedEvent } from './repeats.ts'
import { spendQuota, type PublishQuota } from '../minute-limits.ts'
import type { SharedPublishes } from './shared-publishes.ts'
import { inPublish, type WriteEvents } from './write-events.ts'
import { countDeliveries, typesOf } from './plan-deliveries.ts'

/** An event to publish; without an id it gets one. */
export type EventInput = EventContent & { readonly id?: string; readonly type: EventType }

/** Who publishes events, and which quota counts them. */
export type Publishing = {
  /** The company's quota of events per minute. Without it the events are not counted. */
  readonly quota?: PublishQuota
  /** Who publishes. Without it the events name no publisher. */
  readonly actor?: Actor
  /**
   * The traceparent of the request. The request is the parent of the publish's span, and the events keep the
   * traceparent of that span.
   */
  readonly traceparent?: string | undefined
}

type PublishOptions = Publishing & {
  /** Lets publishes share transactions. Without it each publish has its own. */
  readonly shared?: SharedPublishes
  readonly kept?: AnswerToKeep<PublishedEvent[]>
}

/**
 * Publishes events. One transaction writes the events, their deliveries, and an outbox row per delivery. An event makes
 * a delivery for each active subscribed webhook whose filter lets it through. For a repeated id with the same content,
 * it returns what the first publish returned, and delivers nothing.
 *
 * @throws ApiError CONFLICT when an id was published with another content; VALIDATION_ERROR for too much data or too
 *   many deliveries; RATE_LIMITED when too many large publishes of the company wait, or its quota is used up
 */
export async function publishEvents(
  deps: Deps,
  tenant: Tenant,
  inputs: readonly EventInput[],
  options: PublishOptions = {},
): Promise<PublishedEvent[]> {
  const events = createEvents(deps, inputs, publisherOf(options.actor, 'event'))
  const chosen = inputs.map(({ id }) => id).filter((id) => id !== undefined)
  const known = await findKnown(deps, tenant, chosen, events)
  const publish = async () => {
    if (options.shared && !options.kept?.hold && chosen.length === 0) {
      const { traceparent } = options
      const written = await options.shared.publish(tenant, events, { traceparent })
      if (written) return written.map((event) => toPublished(event, true))
    }
    return publishAlone(deps, tenant, events, known, options)
  }
  return spendQuota(options.quota, tenant, events.length - known.size, publish)
}

/** Publishes in a transaction of its own. */
async function publishAlone(
  deps: Deps,
  tenant: Tenant,
  events: readonly StoredEvent[],
  known: ReadonlyMap<string, PublishedEvent>,
  { kept, traceparent }: PublishOptions,
): Promise<PublishedEvent[]> {
  const fresh = events.filter(({ id }) => !known.has(id))
  const inOrder = (published: ReadonlyMap<string, PublishedEvent>) =>
    events.map(({ id }) => published.get(id)).filter((event) => event !== undefined)
  if (fresh.length === 0) return inOrder(known)
  const { isLarge } = await sizePublish(deps, tenant, fresh)
  const work = async (trx: Knex.Transaction, writeEvents: WriteEvents) => {
    // Another process may run a large publish of the company too. This lock makes one of them wait.
    if (isLarge) await lockCompany(trx, tenant.companyId)
    const written = await writeEvents(fresh)
    const published = new Map([...known, ...written.map((event) => [event.id, event] as const)])
    return keepAnswer(trx, kept, inOrder(published))
  }
  const write = () => inPublish(deps, tenant, work, { events: fresh, traceparent })
  return isLarge ? largePublishes.run(tenant.companyId, write) : write()
}

/** Builds the stored form of the inputs, with ids and times. */
export function createEvents(
  { clock }: Deps,
  inputs: readonly EventInput[],
  publisher: Publisher | null,
): StoredEvent[] {
  const now = clock()
  return inputs.map((input) => createEvent({ ...input, id: input.id ?? newId('event'), now, publisher }))
}

/** How many deliveries one request may make; more would hold locks and a connection for seconds. */
export const MOST_DELIVERIES = 10_000
/** A publish that makes more deliveries than this is large. Large publishes of one company run one after another. */
const LARGE = 1_000

/**
 * Counts how many deliveries the events make at most. It runs no query if the number of events times
 * WEBHOOKS_PER_TENANT is at most LARGE, as for a single event with the default of 1,000 webhooks.
 *
 * @returns `isLarge`: whether the events may make more than LARGE deliveries
 * @throws ApiError VALIDATION_ERROR when a batch makes too many deliveries; its message says how many
 */
export async function sizePublish(
  { db, config }: Deps,
  tenant: Tenant,
  events: readonly StoredEvent[],
): Promise<{ readonly isLarge: boolean }> {
  if (events.length * config.webhooksPerTenant <= LARGE) return { isLarge: false }
  const subscribers = await countSubscribers(db, tenant, typesOf(events))
  const deliveries = countDeliveries(events, subscribers)
  // One event cannot be split. It makes at most one delivery for each webhook, so WEBHOOKS_PER_TENANT limits it.
  if (deliveries > MOST_DELIVERIES && events.length > 1) throw tooMany(deliveries)
  return { isLarge: deliveries > LARGE }
}

const tooMany = (deliveries: number): ApiError =>
  invalid(
    `The events would make ${deliveries} deliveries, and a request may make ${MOST_DELIVERIES}: ` +
      `split them into ${Math.ceil(deliveries / MOST_DELIVERIES)} requests or more.`,
  )

/** Runs one large publish of a company at a time in this process. A few wait, without a database connection. */
const largePublishes = new ConcurrencyLimit({
  running: 1,
  waiting: 16,
  waitMs: 5_000,
  message: `Publishes of more than ${LARGE} deliveries run one after another: send the next one when one is answered.`,
})
