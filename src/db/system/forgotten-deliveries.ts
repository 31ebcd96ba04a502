import type { Db } from '../connection/connection.ts'
import { DELIVERY_KINDS, commandRows, goOn } from '../outbox.ts'
import { run } from '../connection/statements.ts'

/** The last delivery of a page; the next page begins after it. */
export type PageCursor = { readonly at: Date; readonly id: string }

export type ForgottenPage = {
  /** Deliveries that were queued again. */
  readonly queued: number
  /** Where the next page begins; undefined when there is none. */
  readonly next: PageCursor | undefined
}

/**
 * For deliveries that are long overdue, and for those parked long ago: the column with that time, and what the two other
 * columns of the index deliveries_due are. Their conditions let the servers read the index in the order of the column.
 */
const PARTS = {
  overdue: { column: 'wake_at', among: 'closed_at IS NULL AND parked_at IS NULL' },
  parked: { column: 'parked_at', among: 'closed_at IS NULL AND wake_at IS NULL' },
} as const

export type ForgottenPart = keyof typeof PARTS

/**
 * Reads a page of open deliveries that are long overdue, or were parked long ago although their webhook is active and its
 * company not suspended. It queues those that no outbox row will wake. This repairs the loss of Temporal's store, or of a workflow
 * that somebody ended by hand. It reads at most `limit` deliveries along one index, however many wait.
 *
 * @param afterMs how long overdue or parked
 * @param from where the page before this one ended; undefined: at the beginning
 */
export async function wakeForgottenDeliveries(
  db: Db,
  part: ForgottenPart,
  { afterMs, from, limit }: { afterMs: number; from: PageCursor | undefined; limit: number },
): Promise<ForgottenPage> {
  const [rows] = (await db.raw(pageSql(part, from), [
    Math.round(afterMs * 1000),
    ...(from ? [from.at, from.at, from.id] : []),
    limit,
  ])) as [(PageCursor & { is_forgotten: number })[]]
  const forgotten = rows.filter((row) => row.is_forgotten).map(({ id }) => id)
  const last = rows.length < limit ? undefined : rows.at(-1)
  return { queued: await queueAgain(db, forgotten), next: last && { at: last.at, id: last.id } }
}

/**
 * The SQL of a page. It joins the outbox once per kind, by the whole unique key. With a list of kinds MariaDB would join
 * the two tables row by row. It names the indexes, because a server might otherwise join a small table by buffer.
 */
export function pageSql(part: ForgottenPart, from: PageCursor | undefined): string {
  const { column, among } = PARTS[part]
  const kinds = DELIVERY_KINDS.map((kind) => ({ kind, name: `o_${kind}` }))
  const joins = kinds.map(
    ({ kind, name }) =>
      `LEFT JOIN outbox ${name} FORCE INDEX (outbox_subject) ON ${name}.kind = '${kind}' AND ${name}.subject_id = page.id`,
  )
  const conditions = kinds.map(({ name }) => `${name}.id IS NULL`)
  if (part === 'parked') {
    joins.push(
      'LEFT JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = page.id',
      'LEFT JOIN webhooks w FORCE INDEX (PRIMARY) ON w.id = d.webhook_id AND w.is_active = 1',
      'LEFT JOIN companies c FORCE INDEX (PRIMARY) ON c.id = w.company_id AND c.suspended_at IS NOT NULL',
    )
    conditions.push('w.id IS NOT NULL', 'c.id IS NULL')
  }
  const after = from ? `AND (${column} > ? OR (${column} = ? AND id > ?))` : ''
  return `
    SELECT page.id, page.at, ${conditions.join(' AND ')} AS is_forgotten
      FROM (SELECT id, ${column} AS at FROM deliveries FORCE INDEX (deliveries_due)
             WHERE ${among} AND ${column} < NOW(3) - INTERVAL ? MICROSECOND ${after}
             ORDER BY ${column}, id LIMIT ?) page
      ${joins.join('\n      ')}
     ORDER BY page.at, page.id`
}

async function queueAgain(db: Db, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  const rows = await db('deliveries')
    .whereIn('id', [...ids])
    .select<WaitingRow[]>('id', 'company_id', 'webhook_id', 'in_temporal')
  const commands = rows.map((row) => ({ ...goOn(row), companyId: row.company_id }))
  if (commands.length > 0) await run(db, commandRows(commands))
  return rows.length
}

type WaitingRow = { id: string; company_id: string; webhook_id: string; in_temporal: number }
