import { isBehind } from '../conditions.ts'
import { toMicroseconds } from '../clock.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { placeholders, readRows, type Statement } from '../connection/statements.ts'
import { DELIVERY_KINDS } from '../outbox/outbox.ts'
import type { OpenGroup } from './open-groups.ts'
import { queueToGoOn, WAITING_COLUMNS, type WaitingRow } from '../outbox/going-on.ts'

/** The last delivery of a page; the next page begins after it. */
export type PageCursor = { readonly at: Date; readonly id: string }

type ForgottenPage = {
  /** Deliveries that were queued again. */
  readonly queued: number
  /** Where the next page begins; undefined when there is none. */
  readonly next: PageCursor | undefined
}

/**
 * The two kinds of deliveries to look through: `column` has their time, `among` says what the two other columns of the index
 * deliveries_due are. With all three given the servers read the index in the order of the column.
 */
const PARTS = {
  overdue: { column: 'wake_at', among: 'closed_at IS NULL AND parked_at IS NULL' },
  parked: { column: 'parked_at', among: 'closed_at IS NULL AND wake_at IS NULL' },
} as const

export type ForgottenPart = keyof typeof PARTS

type Page = {
  /** How long overdue or parked. */
  readonly afterMs: number
  /** Where the page before this one ended; undefined: at the beginning. */
  readonly from: PageCursor | undefined
  readonly limit: number
}

/**
 * Reads a page of open deliveries that are long overdue, or were parked long ago although their webhook is active and its
 * company not suspended. Queues those that no outbox row will wake. So deliveries survive the loss of Temporal's store, and
 * a workflow that somebody ended by hand. It reads at most `limit` deliveries along one index, however many wait.
 */
export function wakeForgottenDeliveries(
  db: SystemDb,
  part: ForgottenPart,
  { afterMs, from, limit }: Page,
): Promise<ForgottenPage> {
  const { column, among } = PARTS[part]
  const start = isBehind(column, from)
  const page = {
    sql: `SELECT id, ${column} AS at FROM deliveries FORCE INDEX (deliveries_due)
           WHERE ${among} AND ${column} < NOW(3) - INTERVAL ? MICROSECOND AND ${start.sql}
           ORDER BY ${column}, id LIMIT ?`,
    values: [toMicroseconds(afterMs), ...start.values, limit],
  }
  return wakePage(db, page, limit, part === 'parked' ? { sql: CAN_GO, values: [] } : undefined)
}

/** As wakeForgottenDeliveries, along the open deliveries of one group, the oldest first, parked or not. */
export function wakeForgottenOf(
  db: SystemDb,
  { companyId, environment, status }: OpenGroup,
  { afterMs, from, limit }: Page,
): Promise<ForgottenPage> {
  const start = isBehind('created_at', from)
  const page = {
    sql: `SELECT id, created_at AS at, wake_at, parked_at FROM deliveries FORCE INDEX (deliveries_tenant)
           WHERE company_id = ? AND environment = ? AND status = ? AND ${start.sql}
           ORDER BY created_at, id LIMIT ?`,
    values: [companyId, environment, status, ...start.values, limit],
  }
  const isLate = (column: string) => `page.${column} < NOW(3) - INTERVAL ? MICROSECOND`
  const isDue = `(page.parked_at IS NULL AND ${isLate('wake_at')}) OR (${isLate('parked_at')} AND ${CAN_GO})`
  const afterUs = toMicroseconds(afterMs)
  return wakePage(db, page, limit, { sql: `COALESCE(${isDue}, 0)`, values: [afterUs, afterUs] })
}

/** Whether a parked delivery may go: its webhook `w` is active, and its company not one of the suspended ones `c`. */
const CAN_GO = 'w.id IS NOT NULL AND c.id IS NULL'

const JOIN_PARKING = `
  LEFT JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = page.id
  LEFT JOIN webhooks w FORCE INDEX (PRIMARY) ON w.id = d.webhook_id AND w.is_active = 1
  LEFT JOIN companies c FORCE INDEX (PRIMARY) ON c.id = w.company_id AND c.suspended_at IS NOT NULL`

/**
 * Queues the forgotten ones of a page. It joins the outbox once per kind, by the whole unique key. With a list of kinds MariaDB
 * would join the two tables row by row. It names the indexes, because a server might otherwise join a small table by buffer.
 *
 * @param page gives id and `at` of deliveries
 * @param due a further condition; it may read `page`, and what CAN_GO reads
 */
async function wakePage(
  db: SystemDb,
  page: Statement,
  limit: number,
  due: Statement | undefined,
): Promise<ForgottenPage> {
  const joins = DELIVERY_KINDS.map(
    (kind) =>
      `LEFT JOIN outbox o_${kind} FORCE INDEX (outbox_subject) ON o_${kind}.kind = '${kind}' AND o_${kind}.subject_id = page.id`,
  )
  const conditions = [...DELIVERY_KINDS.map((kind) => `o_${kind}.id IS NULL`), ...(due ? [due.sql] : [])]
  const rows = await readRows<PageCursor & { is_forgotten: number }>(db, {
    sql: `SELECT page.id, page.at, ${conditions.join(' AND ')} AS is_forgotten
            FROM (${page.sql}) page ${joins.join(' ')} ${due ? JOIN_PARKING : ''}
           ORDER BY page.at, page.id`,
    values: [...(due?.values ?? []), ...page.values],
  })
  const forgotten = rows.filter((row) => row.is_forgotten).map(({ id }) => id)
  const last = rows.length < limit ? undefined : rows.at(-1)
  return { queued: await queueAgain(db, forgotten), next: last && { at: last.at, id: last.id } }
}

async function queueAgain(db: SystemDb, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  return inTransaction(db, async (trx) => {
    const rows = await readRows<WaitingRow>(trx, {
      sql: `SELECT ${WAITING_COLUMNS.join(', ')} FROM deliveries WHERE id IN (${placeholders(ids.length)})`,
      values: ids,
    })
    await queueToGoOn(trx, rows)
    return rows.length
  })
}
