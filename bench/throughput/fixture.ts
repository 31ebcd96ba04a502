import { Client, Connection } from '@temporalio/client'
import { EVENT_TYPES } from '../../src/domain/event/catalog.ts'
import { createWebhook, fillHistory, fillRows, useLargeBufferPool } from '../support/fill.ts'
import type { PathBehaviour } from './receiver.ts'
import type { LoadStack } from './stack.ts'

/** How many webhooks every phase has. */
export const WEBHOOKS = 10
export const PATHS = Array.from({ length: WEBHOOKS }, (_, n) => `/${n}`)

/** Who gets the events. */
export type Endpoints = {
  /** Event types, which the webhooks take in turns. */
  readonly types: readonly string[]
  /** By path. */
  readonly behaviours?: Readonly<Record<string, PathBehaviour>>
  /** Seconds to each retry. */
  readonly retrySchedule?: readonly number[]
}

/** Every event type has one webhook, so an event has one delivery. */
export const EACH_ITS_OWN: Endpoints = { types: EVENT_TYPES.slice(0, WEBHOOKS) }

/** One event type has all webhooks. */
export const FAN_OUT: Endpoints = { types: EVENT_TYPES.slice(0, 1) }

/** The first `count` endpoints behave in a way that fails at first, the others are healthy. */
const failing = (behaviour: PathBehaviour, count: number): Endpoints => ({
  ...EACH_ITS_OWN,
  behaviours: Object.fromEntries(PATHS.slice(0, count).map((path) => [path, behaviour])),
  retrySchedule: [2],
})

/** A fifth of the endpoints answers 500 to the first request of each delivery, and 200 to the second. */
export const FAILING = failing('fail-first', 2)
/** Each endpoint answers 500 to the first request of every fifth delivery, and 200 to all others. */
export const FAILING_FIFTH = failing('fail-fifth', 10)

/** Creates the webhooks. */
export async function subscribe({ api, endpoint }: LoadStack, wanted: Partial<Endpoints> = {}) {
  const { types = EACH_ITS_OWN.types, retrySchedule: retry_schedule } = wanted
  for (const [n, path] of PATHS.entries())
    await createWebhook(api, { url: endpoint(path), events: [types[n % types.length]], retry_schedule })
}

/** What a phase leaves behind: its events, and everything else. */
export const HISTORY = ['events', 'deliveries', 'attempts']
const TABLES = [
  ...['outbox', 'webhook_counters', 'webhook_health', 'webhook_stats_hours', 'webhook_stats_days'],
  ...['webhook_event_types', 'webhooks', 'notices'],
]

/** Empties the tables, so that no phase pays for what the one before left. Where there are old deliveries, closed ones stay. */
export async function clearTables({ db, plan }: LoadStack): Promise<void> {
  const keepsHistory = plan.oldDeliveries > 0
  for (const table of [...TABLES, ...(keepsHistory ? [] : HISTORY)]) await db.raw(`TRUNCATE TABLE ${table}`)
  if (keepsHistory) await db('deliveries').whereNull('closed_at').delete()
}

/** Fills in closed deliveries of 60 days, which stay beside those of every phase, as in a production database. */
export async function fillOld(stack: LoadStack): Promise<void> {
  const { db, env, companyId, plan } = stack
  await useLargeBufferPool(db)
  await subscribe(stack)
  const webhookIds: string[] = await db('webhooks').pluck('id')
  await fillHistory(env['DATABASE_URL'] ?? '', companyId, webhookIds, plan.oldDeliveries)
  await fillRows(env['DATABASE_URL'] ?? '', ['DELETE FROM deliveries WHERE closed_at IS NULL'])
}

/** Counts the accepted events that lack their delivery, or its start in the outbox, while no worker runs. */
export async function countLostRows({ db }: LoadStack, ids: readonly string[]): Promise<number> {
  const deliveries = db('deliveries')
    // With the kind the join goes along the unique key. Without it each delivery would read the whole outbox.
    .joinRaw("JOIN outbox ON outbox.kind = 'start' AND outbox.subject_id = deliveries.id")
    .pluck<string[]>('deliveries.event_id')
  const there = new Set(await deliveries)
  return ids.filter((id) => !there.has(id)).length
}

/** How many deliveries fit the condition. @param condition SQL */
export async function countDeliveries({ db }: LoadStack, condition: string): Promise<number> {
  const [row] = await db('deliveries').whereRaw(condition).count<{ rows: number }[]>({ rows: 'id' })
  return row?.rows ?? 0
}

/** Stops the worker, and ends the work that a phase left: its rows, and the workflows that still run. */
export async function discardWork(stack: LoadStack): Promise<void> {
  await stack.stopWorker()
  await clearTables(stack)
  const connection = await Connection.connect({ address: stack.env['TEMPORAL_ADDRESS'] ?? '' })
  const { workflow } = new Client({ connection })
  for await (const { workflowId } of workflow.list({ query: "ExecutionStatus = 'Running'" })) {
    const ending = workflow.getHandle(workflowId).terminate()
    await ending.catch(() => undefined)
  }
  await connection.close()
}
