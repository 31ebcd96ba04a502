import { Client, Connection } from '@temporalio/client'
import { waitUntil } from '../../scripts/lib/ready.ts'
import type { SystemDb } from '../../src/db/connection/connection.ts'
import { fillHistory } from '../lists/fill.ts'
import { createWebhook, fillRows, useLargeBufferPool } from '../support/fill.ts'
import type { LoadStack } from './stack.ts'

type Rows = Pick<LoadStack, 'db' | 'companyId'>

/** Event types of which each gets a webhook of its own, or all get the same ones. */
export const TYPES: readonly string[] = [
  ...['contact.created', 'contact.updated', 'contact.deleted', 'organization.created'],
  ...['organization.updated', 'organization.deleted', 'deal.created', 'deal.updated'],
  ...['deal.stage_changed', 'deal.deleted'],
]

/** Everything that a phase leaves behind. */
const HISTORY = ['events', 'deliveries', 'attempts']
const TABLES = [
  ...['outbox', 'webhook_counters', 'webhook_health', 'webhook_stats_hours', 'webhook_stats_days'],
  ...['webhook_event_types', 'webhooks', 'notices'],
]

/** Empties the tables, so that no phase pays for what the one before left. @param options keepsHistory: of closed deliveries */
export async function clearTables(db: SystemDb, { keepsHistory }: { keepsHistory: boolean }): Promise<void> {
  for (const table of [...TABLES, ...(keepsHistory ? [] : HISTORY)]) await db.raw(`TRUNCATE TABLE ${table}`)
  if (keepsHistory) await db('deliveries').whereNull('closed_at').delete()
}

/** Fills in closed deliveries of 60 days, which stay beside those of every phase, as in a production database. */
export async function fillOld(stack: LoadStack, count: number): Promise<void> {
  const { db, databaseUrl, companyId } = stack
  await useLargeBufferPool(db)
  for (const type of TYPES) await subscribe(stack, { types: [type] })
  const webhookIds: string[] = await db('webhooks').pluck('id')
  await fillHistory(databaseUrl, { companyId, webhookIds, count })
  await fillRows(databaseUrl, ['DELETE FROM deliveries WHERE closed_at IS NULL'])
  stack.keepHistory()
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
 * Counts what the database lacks of accepted events while no worker runs: each must have its delivery, and each delivery a start in
 * the outbox.
 */
export async function countLostRows({ db, companyId }: Rows, ids: readonly string[]): Promise<number> {
  const found = await db('deliveries')
    // With the kind the join goes along the unique key. Without it each delivery would read the whole outbox.
    .joinRaw("JOIN outbox ON outbox.kind = 'start' AND outbox.subject_id = deliveries.id")
    .where({ 'deliveries.company_id': companyId })
    .pluck<string[]>('deliveries.event_id')
  const there = new Set(found)
  return ids.filter((id) => !there.has(id)).length
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
