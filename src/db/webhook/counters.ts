import { randomInt } from 'node:crypto'
import type { DeliveryStatus } from '../../domain/delivery/delivery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { WebhookCounters } from '../../domain/webhook/webhook.ts'
import type { Db } from '../connection/connection.ts'
import { ofTenantSql } from '../conditions.ts'
import { insertRows, addingUp, rawSql, readRows, run, sql, type Statement } from '../connection/statements.ts'

/** How many rows the counters of a webhook have. A writer takes one at random, so that writers rarely wait for a row. */
const SHARDS = 16

type Figures = Record<DeliveryStatus, number> & { purgedSuccess: number; purgedFailed: number }

/** How the number of a webhook's deliveries in each state changes: positive if it grows, negative if it shrinks. */
export type CounterChange = {
  readonly webhookId: string
  readonly changes: Partial<Figures>
  readonly triggeredAt?: Date
  readonly succeededAt?: Date
}

/** The sums over a webhook's shards. */
type CounterSums = Figures & {
  readonly lastTriggeredAt: Date | null
  /** When the latest delivery succeeded. null if none did, or a former release recorded it. */
  readonly lastSuccessAt: Date | null
}

/**
 * Adds the changes in one upsert. Call it last in a transaction, because unrelated writers share the rows and must not wait
 * long.
 */
export async function addToCounters(trx: Db, changes: readonly CounterChange[]): Promise<void> {
  if (changes.length > 0) await run(trx, counterRows(changes))
}

/** The statement of addToCounters. The rows are in key order, so that two batches cannot deadlock. */
export const counterRows = (changes: readonly CounterChange[]): Statement =>
  insertRows(
    'webhook_counters',
    mergeByWebhook(changes).map(({ webhookId, changes: figures, triggeredAt, succeededAt }) => ({
      webhook_id: webhookId,
      shard: randomInt(SHARDS),
      pending: figures.pending ?? 0,
      retrying: figures.retrying ?? 0,
      success: figures.success ?? 0,
      failed: figures.failed ?? 0,
      purged_success: figures.purgedSuccess ?? 0,
      purged_failed: figures.purgedFailed ?? 0,
      last_triggered_at: triggeredAt ?? null,
      last_success_at: succeededAt ?? null,
    })),
    sql`${addingUp(FIGURES)}, ${TIMES.map((name) =>
      rawSql(`${name} = GREATEST(COALESCE(${name}, VALUES(${name})), COALESCE(VALUES(${name}), ${name}))`),
    )}`,
  )

/** The columns whose values are added. */
const FIGURES = ['pending', 'retrying', 'success', 'failed', 'purged_success', 'purged_failed'] as const

/** The columns that keep the latest time. */
const TIMES = ['last_triggered_at', 'last_success_at'] as const

/** The sums by webhook id. A webhook without deliveries is absent. */
export async function readCounters(
  db: Db,
  tenant: Tenant,
  webhookIds: readonly string[],
): Promise<Map<string, CounterSums>> {
  if (webhookIds.length === 0) return new Map()
  // PRIMARY is forced, because along the tenant's index the server would read every webhook that was ever deleted.
  return sumCounters(
    db,
    sql`webhook_counters c JOIN webhooks w FORCE INDEX (PRIMARY) ON w.id = c.webhook_id
         WHERE ${ofTenantSql(tenant, 'w')}
           AND c.webhook_id IN (${webhookIds})`,
  )
}

/** The sums by webhook id. @param from what follows FROM; the counters must have the alias `c` */
export async function sumCounters(db: Db, from: Statement): Promise<Map<string, CounterSums>> {
  const sums = [
    ...FIGURES.map((name) => rawSql(`SUM(c.${name}) AS ${name}`)),
    ...TIMES.map((name) => rawSql(`MAX(c.${name}) AS ${name}`)),
  ]
  const rows = await readRows<SumRow>(db)`
    SELECT c.webhook_id, ${sums} FROM ${from} GROUP BY c.webhook_id`
  return new Map(rows.map((row) => [row.webhook_id, toSums(row)]))
}

/** How many deliveries a list shows, of one state or of all. Deliveries that the purge removed do not count. */
export function totalOf(sums: CounterSums | undefined, status: DeliveryStatus | undefined): number {
  if (!sums) return 0
  const present: Record<DeliveryStatus, number> = {
    pending: sums.pending,
    retrying: sums.retrying,
    success: sums.success - sums.purgedSuccess,
    failed: sums.failed - sums.purgedFailed,
  }
  return status ? present[status] : Object.values(present).reduce((sum, count) => sum + count, 0)
}

/** The counters in the API (specification, «Fields of a webhook»). A purge does not lower them. */
export const toWebhookCounters = (sums: CounterSums | undefined): WebhookCounters => ({
  totalDeliveries: sums ? sums.pending + sums.retrying + sums.success + sums.failed : 0,
  successfulDeliveries: sums?.success ?? 0,
  failedDeliveries: sums?.failed ?? 0,
  lastTriggeredAt: sums?.lastTriggeredAt ?? null,
  lastSuccessAt: sums?.lastSuccessAt ?? null,
  waiting: sums ? sums.pending + sums.retrying : 0,
})

/** The change of the counters if one delivery moves from one state to another. */
export function transition(from: DeliveryStatus, to: DeliveryStatus): Partial<Figures> {
  return from === to ? {} : { [from]: -1, [to]: 1 }
}

type SumRow = { webhook_id: string } & Record<(typeof TIMES)[number], Date | null> &
  Record<string, string | number>

const toSums = (row: SumRow): CounterSums => ({
  pending: Number(row['pending']),
  retrying: Number(row['retrying']),
  success: Number(row['success']),
  failed: Number(row['failed']),
  purgedSuccess: Number(row['purged_success']),
  purgedFailed: Number(row['purged_failed']),
  lastTriggeredAt: row.last_triggered_at,
  lastSuccessAt: row.last_success_at,
})

function mergeByWebhook(changes: readonly CounterChange[]): CounterChange[] {
  type Merged = { -readonly [Field in keyof CounterChange]: CounterChange[Field] }
  const merged = new Map<string, Merged>()
  for (const { webhookId, changes: figures, triggeredAt, succeededAt } of changes) {
    const entry: Merged = merged.get(webhookId) ?? { webhookId, changes: {} }
    for (const [name, count] of Object.entries(figures) as [keyof Figures, number][]) {
      entry.changes[name] = (entry.changes[name] ?? 0) + count
    }
    if (isLater(triggeredAt, entry.triggeredAt)) entry.triggeredAt = triggeredAt
    if (isLater(succeededAt, entry.succeededAt)) entry.succeededAt = succeededAt
    merged.set(webhookId, entry)
  }
  return [...merged.values()].sort((a, b) => (a.webhookId < b.webhookId ? -1 : 1))
}

const isLater = (time: Date | undefined, than: Date | undefined): time is Date =>
  time !== undefined && (than === undefined || than < time)
