import { Client, Connection } from '@temporalio/client'
import { waitUntil } from '../../scripts/lib/ready.ts'
import type { SystemDb } from '../../src/db/connection/connection.ts'
import { createWebhook } from '../support/stack.ts'
import { compareCounts, type Accepted } from './arrivals.ts'
import type { LoadStack } from './programs.ts'

type Rows = Pick<LoadStack, 'db' | 'companyId'>

/** Event types of which each gets a webhook of its own, or all get the same ones. */
export const TYPES: readonly string[] = [
  ...['contact.created', 'contact.updated', 'contact.deleted', 'organization.created'],
  ...['organization.updated', 'organization.deleted', 'deal.created', 'deal.updated'],
  ...['deal.stage_changed', 'deal.deleted'],
]

/** Everything that a phase leaves behind. */
const TABLES = [
  ...['outbox', 'attempts', 'deliveries', 'events'],
  ...['webhook_counters', 'webhook_health', 'webhook_stats_hours', 'webhook_stats_days'],
  ...['webhook_event_types', 'webhooks', 'notices'],
]

/** Empties the tables, so that no phase pays for what the one before left. */
export async function clearTables(db: SystemDb): Promise<void> {
  for (const table of TABLES) await db.raw(`TRUNCATE TABLE ${table}`)
}

type Webhook = {
  /** Of the receiver; or another URL. */
  readonly path?: string
  readonly url?: string
  readonly types: readonly string[]
  /** Seconds. */
  readonly retrySchedule?: readonly number[] | undefined
}

/** Creates a webhook. */
export async function subscribe(
  { api, endpoint }: LoadStack,
  { path = '', url, types, retrySchedule }: Webhook,
): Promise<void> {
  const schedule = retrySchedule && { retry_schedule: retrySchedule }
  await createWebhook(api, { url: url ?? endpoint(path), events: types, ...schedule })
}

/** Waits until what was delivered is also recorded, or the time is over. */
export async function waitForRecords({ db, companyId }: Rows, timeoutMs: number): Promise<void> {
  const isDone = async () => (await db('outbox').where({ company_id: companyId }).first('id')) === undefined
  await waitUntil('The records', isDone, { timeoutMs }).catch(() => undefined)
}

/**
 * Checks what the database has of accepted events: each must have its deliveries, and while no worker runs each of those a
 * start in the outbox.
 *
 * @returns unknown: deliveries whose event the api did not report as accepted
 */
export async function compareRows({ db, companyId, isAttached }: LoadStack, { ids, each }: Accepted) {
  const deliveries = db('deliveries')
    .join('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .where({ 'deliveries.company_id': companyId, 'webhooks.deleted_at': null })
  if (!isAttached) {
    // With the kind the join goes along the unique key. Without it each delivery would read the whole outbox.
    void deliveries.joinRaw("JOIN outbox ON outbox.kind = 'start' AND outbox.subject_id = deliveries.id")
  }
  const events: string[] = await deliveries.pluck('deliveries.event_id')
  const found = new Map<string, number>()
  for (const id of events) found.set(id, (found.get(id) ?? 0) + 1)
  return compareCounts(
    ids.map((id) => found.get(id) ?? 0),
    each,
    events.length,
  )
}

/** Ends all workflows that still run: those of a phase that was given up. */
export async function endWorkflows({ env }: LoadStack): Promise<void> {
  const connection = await Connection.connect({ address: env['TEMPORAL_ADDRESS'] ?? '' })
  try {
    const { workflow } = new Client({ connection })
    for await (const { workflowId } of workflow.list({ query: "ExecutionStatus = 'Running'" }))
      await workflow
        .getHandle(workflowId)
        .terminate()
        .catch(() => undefined)
  } finally {
    await connection.close()
  }
}

/** Deliveries that are neither delivered nor given up. */
export const countOpen = (rows: Rows): Promise<number> =>
  countDeliveries(rows, "status IN ('pending', 'retrying')")

/** Deliveries of the company. @param condition SQL */
export async function countDeliveries({ db, companyId }: Rows, condition: string): Promise<number> {
  const chosen = db('deliveries').where({ company_id: companyId }).whereRaw(condition)
  const [row] = await chosen.count<{ rows: number }[]>({ rows: 'id' })
  return row?.rows ?? 0
}

/** Removes the deliveries that are due now or soon, with their outbox rows. Old ones stay. */
export async function removeOpenWork({ db }: LoadStack): Promise<void> {
  await db.raw('TRUNCATE TABLE outbox')
  await db.raw(
    'DELETE FROM deliveries WHERE closed_at IS NULL AND parked_at IS NULL AND wake_at < NOW(3) + INTERVAL 1 HOUR',
  )
}
