import type { Knex } from 'knex'
import { inTransaction } from '../../db/connection/connection.ts'
import { insertDeliveriesToStart } from '../../db/delivery/new-deliveries.ts'
import { commitWithPlaces } from '../../db/event/feed.ts'
import { listSubscribers } from '../../db/webhook/subscriptions.ts'
import type { Deps } from '../../deps/deps.ts'
import { traced, type SpanFacts, type Traces } from '../../deps/traces.ts'
import { refuseLateEvents, type StoredEvent } from '../../domain/event/event.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { Judging } from '../../domain/webhook/filter/judging.ts'
import { ConcurrencyLimit } from '../concurrency-limit.ts'
import { planDeliveries, typesOf } from './plan-deliveries.ts'
import { insertUnlessRepeated, toPublished, type PublishedEvent } from './repeats.ts'

/** Writes events with their deliveries in the transaction. */
export type WriteEvents = (events: readonly StoredEvent[]) => Promise<PublishedEvent[]>

type PublishOptions = {
  /**
   * The events that the work will write, as far as the caller knows them. Filters judge them before the work takes a
   * connection.
   */
  readonly events?: readonly StoredEvent[]
  readonly traceparent?: string | undefined
}

/**
 * Runs a change that publishes. Its events get their places in the feed at the very end of the transaction. Once they
 * have them, no other publish of the tenant can commit until this one has. After the commit it rings the workers and
 * the readers of the feed. Like inTransaction, it may run the work again. Only a few changes of a company run at once,
 * so that one company cannot take all connections.
 *
 * @throws whatever the work throws. ApiError SERVICE_UNAVAILABLE when an event became too old during the wait, or when
 *   changes of the company wait because the database is slow. RATE_LIMITED when too many changes wait
 */
export async function inPublish<T>(
  deps: Pick<Deps, 'db' | 'publishDb' | 'clock' | 'doorbell' | 'feedBell' | 'filters' | 'traces'>,
  tenant: Tenant,
  work: (trx: Knex.Transaction, write: WriteEvents) => Promise<T>,
  { events = [], traceparent }: PublishOptions = {},
): Promise<T> {
  const judging = new Judging()
  // The filters judge before the transaction, which then finds their verdicts in `judging`. A company that has no
  // filter in the cache probably has no filter at all.
  if (events.length > 0 && deps.filters.has(tenant.companyId))
    await judgingTurns.run(tenant.companyId, async () => {
      await planDeliveries(deps, events, await listSubscribersOf(deps.db, tenant, events), judging)
    })
  const { result, hasNew } = await inPublishSpan(deps.traces, tenant, traceparent, (addTrace) =>
    writingTurns.run(tenant.companyId, () =>
      inTransaction(deps.publishDb, async (trx) => {
        const fresh: StoredEvent[] = []
        const done = await work(trx, async (given) => {
          const toWrite = { events: addTrace(given), judging }
          const { published, written } = await writeEvents(deps, trx, tenant, toWrite)
          fresh.push(...written)
          return published
        })
        refuseLateEvents(fresh, deps.clock())
        if (fresh.length > 0) await commitWithPlaces(trx, tenant, fresh)
        return { result: done, hasNew: fresh.length > 0 }
      }),
    ),
  )
  deps.doorbell.ring()
  if (hasNew) deps.feedBell.ring([{ companyId: tenant.companyId, queue: tenant.environment }])
  return result
}

const listSubscribersOf = (db: Knex, tenant: Tenant, events: readonly StoredEvent[]) =>
  listSubscribers(db, [{ tenant, eventTypes: typesOf(events) }])

/** @returns what was published. `written`: the events that were not published before, in the order of `events` */
async function writeEvents(
  deps: Pick<Deps, 'filters'>,
  trx: Knex.Transaction,
  tenant: Tenant,
  { events, judging }: { readonly events: readonly StoredEvent[]; readonly judging: Judging },
): Promise<{ published: PublishedEvent[]; written: StoredEvent[] }> {
  const subscribers = await listSubscribersOf(trx, tenant, events)
  const planned = await planDeliveries(deps, events, subscribers, judging)
  const { fresh, repeated } = await insertUnlessRepeated(trx, tenant, planned.events)
  const isFresh = new Set(fresh.map(({ id }) => id))
  const deliveries = planned.deliveries.filter(({ eventId }) => isFresh.has(eventId))
  await insertDeliveriesToStart(trx, tenant, deliveries)
  return {
    published: [
      ...fresh.map((event) => toPublished(event, true)),
      ...repeated.map((event) => toPublished(event, false)),
    ],
    written: events.filter(({ id }) => isFresh.has(id)),
  }
}

/**
 * `waitMs` is the same as for a connection. More publishes may wait here than COST_CLASSES let requests of a company
 * run at once.
 */
const WAITING = {
  waiting: 1_000,
  waitMs: 3_000,
  message: 'Too many changes and publishes of the company wait: send the next one when one is answered.',
}

/**
 * How long a transaction takes at most, in milliseconds, on a healthy database. A transaction of 1,000 deliveries takes
 * a few hundred. When a company's transactions take longer on average, a publish that waited in vain gets 503, because
 * the database is slow and the company is not at fault.
 */
const USUAL_MS = 500

/** How many connections for publishes one company may use at once: half of them. */
const WRITING = 3

/**
 * In this process, one publish of a company at a time is judged by filters, and at most WRITING are written at once.
 */
const judgingTurns = new ConcurrencyLimit({ ...WAITING, running: 1 })
const writingTurns = new ConcurrencyLimit({ ...WAITING, running: WRITING, usualMs: USUAL_MS })

/** Returns copies of the events. The copies have the traceparent of the publish's span. */
type AddTrace = (events: readonly StoredEvent[]) => readonly StoredEvent[]

/**
 * Runs the writing of events as a span. Without traces the events keep `traceparent`.
 *
 * @param traceparent the traceparent of the request; undefined outside a trace
 * @param work writes the events that `addTrace` returns
 */
export function inPublishSpan<T>(
  traces: Traces | undefined,
  { companyId, environment }: Tenant,
  traceparent: string | undefined,
  work: (addTrace: AddTrace) => Promise<T>,
): Promise<T> {
  let told: SpanFacts = {}
  const facts = { 'sales_data.company_id': companyId, 'sales_data.environment': environment }
  return traced(
    traces,
    'publish',
    { kind: 'producer', parent: traceparent, facts },
    {
      work: (own) =>
        work((events) => {
          told = { 'sales_data.events': events.length, 'sales_data.event_id': events[0]?.id }
          return own ? events.map((event) => ({ ...event, traceparent: own })) : events
        }),
      describe: () => ({ facts: told }),
    },
  )
}
