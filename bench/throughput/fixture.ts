import { Client, Connection } from '@temporalio/client'
import { waitUntil } from '../../scripts/lib/ready.ts'
import type { SystemDb } from '../../src/db/connection/connection.ts'
import { fillHistory, fillRows, useLargeBufferPool } from '../support/fill.ts'
import { subscribe } from './endpoints.ts'
import type { LoadStack } from './stack.ts'

/** Everything that a phase leaves behind. */
export const HISTORY = ['events', 'deliveries', 'attempts']
const TABLES = [
  ...['outbox', 'webhook_counters', 'webhook_health', 'webhook_stats_hours', 'webhook_stats_days'],
  ...['webhook_event_types', 'webhooks', 'notices'],
]

/** Empties the tables, so that no phase pays for what the one before left. @param options keepsHistory: keeps closed deliveries */
export async function clearTables(db: SystemDb, { keepsHistory }: { keepsHistory: boolean }): Promise<void> {
  for (const table of [...TABLES, ...(keepsHistory ? [] : HISTORY)]) await db.raw(`TRUNCATE TABLE ${table}`)
  if (keepsHistory) await db('deliveries').whereNull('closed_at').delete()
}

/** Fills in closed deliveries of 60 days, which stay beside those of every phase, as in a production database. */
export async function fillOld(stack: LoadStack): Promise<void> {
  const { db, databaseUrl, companyId, plan } = stack
  await useLargeBufferPool(db)
  await subscribe(stack)
  const webhookIds: string[] = await db('webhooks').pluck('id')
  await fillHistory(databaseUrl, { companyId, webhookIds, count: plan.oldDeliveries })
  await fillRows(databaseUrl, ['DELETE FROM deliveries WHERE closed_at IS NULL'])
}

/** Waits until what was delivered is also recorded, or the time is over. */
export async function waitForRecords({ db }: LoadStack, timeoutMs: number): Promise<void> {
  const isDone = async () => (await db('outbox').first('id')) === undefined
  await waitUntil('The records', isDone, { timeoutMs }).catch(() => undefined)
}

/**
 * Counts what the database lacks of accepted events while no worker runs: each must have its delivery, and each delivery a start in
 * the outbox.
 */
export async function countLostRows({ db }: LoadStack, ids: readonly string[]): Promise<number> {
  const found = await db('deliveries')
    // With the kind the join goes along the unique key. Without it each delivery would read the whole outbox.
    .joinRaw("JOIN outbox ON outbox.kind = 'start' AND outbox.subject_id = deliveries.id")
    .pluck<string[]>('deliveries.event_id')
  const there = new Set(found)
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
  await stack.reset()
  const connection = await Connection.connect({ address: stack.env['TEMPORAL_ADDRESS'] ?? '' })
  const { workflow } = new Client({ connection })
  for await (const { workflowId } of workflow.list({ query: "ExecutionStatus = 'Running'" })) {
    const ending = workflow.getHandle(workflowId).terminate()
    await ending.catch(() => undefined)
  }
  await connection.close()
}
