import { RESPONSE_CLASSES } from '../../domain/delivery/lists.ts'
import { DAY_MS, floorTo } from '../../domain/instants.ts'
import type { FailingShare } from '../../domain/webhook/long-failure.ts'
import {
  addFigures,
  NO_FIGURES,
  DURATION_BOUNDS_MS,
  NO_ANSWER_ERRORS,
  type AttemptFigures,
} from '../../domain/webhook/stats.ts'
import { anyOf } from '../conditions.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { insertRows, addingUp, readRows, run, sql, type Statement } from '../connection/statements.ts'

const CLASSES = RESPONSE_CLASSES.map((name) => `class_${name}`)
const BUCKETS = DURATION_BOUNDS_MS.map((bound) => `within_${bound}_ms`)

/** The columns that count attempts. The tables of hours and of days both have them. */
export const COUNT_COLUMNS: readonly string[] = [...CLASSES, ...NO_ANSWER_ERRORS, ...BUCKETS]

/** The figures as counts by column. */
const toCounts = ({ byClass, byError, byDuration }: AttemptFigures): Record<string, number> => ({
  ...Object.fromEntries(RESPONSE_CLASSES.map((name) => [`class_${name}`, byClass[name]])),
  ...byError,
  ...Object.fromEntries(BUCKETS.map((column, index) => [column, byDuration[index] ?? 0])),
})

/** The figures of a row. Sums come from the server as text. */
export function toFigures(row: Readonly<Record<string, unknown>>): AttemptFigures {
  const countsOf = <Name extends string>(names: readonly Name[], start = '') =>
    Object.fromEntries(names.map((name) => [name, Number(row[start + name])])) as Record<Name, number>
  return {
    byClass: countsOf(RESPONSE_CLASSES, 'class_'),
    byError: countsOf(NO_ANSWER_ERRORS),
    byDuration: BUCKETS.map((column) => Number(row[column])),
  }
}

/** How many rows a webhook has for each hour. Each worker adds to one of them, so that workers rarely wait for each other. */
export const STATS_SHARDS = 4

/** The figures of a webhook in the hour that begins at `startsAt`. */
export type HourOfWebhook = {
  readonly webhookId: string
  readonly startsAt: Date
  readonly figures: AttemptFigures
  /** How many deliveries failed for good; by default 0. */
  readonly failedDeliveries?: number
}

type HourRow = { webhook_id: string; starts_at: Date; shard: number }

/**
 * Adds figures to one shard of their hours.
 *
 * @param hours at least one, in the order of webhooks, so that two calls cannot deadlock
 */
export async function addToHours(
  db: SystemDb,
  shard: number,
  hours: readonly HourOfWebhook[],
): Promise<void> {
  const rows = hours.map(({ webhookId, startsAt, figures, failedDeliveries = 0 }) => ({
    webhook_id: webhookId,
    starts_at: startsAt,
    shard,
    failed_deliveries: failedDeliveries,
    ...toCounts(figures),
  }))
  await run(db, insertRows('webhook_stats_hours', rows, addingUp([...COUNT_COLUMNS, 'failed_deliveries'])))
}

/**
 * Takes the hours that began before the time, oldest first. Adds them to their days and removes them, in one
 * transaction. So a purge that is cut off counts nothing twice. Two purges at once take turns, because each waits for
 * the oldest row along the same index. With SKIP LOCKED they would deadlock: if a server believes that the table is
 * small, its DELETE reads the whole table.
 *
 * @param limit it takes at most this many rows
 * @returns how many rows it took; fewer than the limit: none is left
 */
export async function foldHours(db: SystemDb, before: Date, limit: number): Promise<number> {
  return inTransaction(db, async (trx) => {
    const rows = await readRows<HourRow>(trx)`
      SELECT * FROM webhook_stats_hours FORCE INDEX (webhook_stats_hours_failed) WHERE starts_at < ${before}
       ORDER BY starts_at LIMIT ${limit} FOR UPDATE`
    if (rows.length === 0) return 0
    await run(trx, additionToDays(rows))
    await run(trx, removalOf(rows))
    return rows.length
  })
}

/** In the order of keys, so that two purges at once cannot deadlock. */
function additionToDays(rows: readonly HourRow[]): Statement {
  const days = new Map<string, { webhookId: string; startsAt: Date; figures: AttemptFigures }>()
  for (const row of rows) {
    const startsAt = floorTo(row.starts_at, DAY_MS)
    const key = `${row.webhook_id} ${startsAt.getTime()}`
    const figures = addFigures(days.get(key)?.figures ?? NO_FIGURES, toFigures(row))
    days.set(key, { webhookId: row.webhook_id, startsAt, figures })
  }
  const inOrder = [...days].sort(([a], [b]) => (a < b ? -1 : 1))
  return insertRows(
    'webhook_stats_days',
    inOrder.map(([, { webhookId, startsAt, figures }]) => ({
      webhook_id: webhookId,
      starts_at: startsAt,
      ...toCounts(figures),
    })),
    addingUp(COUNT_COLUMNS),
  )
}

/** Deletes each row by its key, so that an hour that a worker writes at the same time stays. */
const removalOf = (rows: readonly HourRow[]): Statement => sql`
  DELETE FROM webhook_stats_hours WHERE ${anyOf(
    rows.map(
      (row) =>
        sql`(webhook_id = ${row.webhook_id} AND starts_at = ${row.starts_at} AND shard = ${row.shard})`,
    ),
  )}`

/**
 * How many companies had attempts in the hours from `since` on, and how many of these got no 2xx from any endpoint.
 * Attempts that our own address guard refused do not count. It reads every webhook that had an attempt.
 */
export async function readFailingShare(db: SystemDb, since: Date): Promise<FailingShare> {
  type FoundShare = Record<keyof FailingShare, string | number | null>
  const [row] = await readRows<FoundShare>(db)`
    SELECT COUNT(*) AS attempted, SUM(successes = 0) AS failing FROM (
      SELECT SUM(s.class_2xx) AS successes
        FROM webhook_stats_hours s JOIN webhooks w ON w.id = s.webhook_id
       WHERE s.starts_at >= ${since}
       GROUP BY w.company_id
      HAVING SUM(s.class_2xx + s.class_3xx + s.class_4xx + s.class_5xx + s.class_none) > SUM(s.blocked_address)
    ) AS companies`
  return { attempted: Number(row?.attempted ?? 0), failing: Number(row?.failing ?? 0) }
}
