import { toMicroseconds } from '../clock.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { placeholders, readRows, type SqlValue, type Statement } from '../connection/statements.ts'
import { DELIVERY_KINDS } from '../outbox/outbox.ts'
import type { OpenGroup } from './open-groups.ts'
import { queueToGoOn, WAITING_COLUMNS, type WaitingRow } from '../outbox/going-on.ts'

/** The last delivery of a page; the next page begins after it. */
export type PageCursor = { readonly at: Date; readonly id: string }

export type ForgottenPage = {
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

/**
 * Reads a page of open deliveries that are long overdue, or were parked long ago although their webhook is active and its
 * company not suspended. Queues those that no outbox row will wake. So deliveries survive the loss of Temporal's store, and
 * a workflow that somebody ended by hand. It reads at most `limit` deliveries along one index, however many wait.
 *
 * @param afterMs how long overdue or parked
 * @param from where the page before this one ended; undefined: at the beginning
 */
export async function wakeForgottenDeliveries(
  db: SystemDb,
  part: ForgottenPart,
  { afterMs, from, limit }: Page,
): Promise<ForgottenPage> {
  const values = [toMicroseconds(afterMs), ...placeValues(from), limit]
  return wakePage(db, { sql: pageSql(part, from), values }, limit)
}

type Page = {
  readonly afterMs: number
  readonly from: PageCursor | undefined
  readonly limit: number
}

async function wakePage(db: SystemDb, page: Statement, limit: number): Promise<ForgottenPage> {
  const rows = await readRows<PageCursor & { is_forgotten: number }>(db, page)
  const forgotten = rows.filter((row) => row.is_forgotten).map(({ id }) => id)
  const last = rows.length < limit ? undefined : rows.at(-1)
  return { queued: await queueAgain(db, forgotten), next: last && { at: last.at, id: last.id } }
}

/**
 * The SQL of a page. It joins the outbox once per kind, by the whole unique key. With a list of kinds MariaDB would join
 * the two tables row by row. It names the indexes, because a server might otherwise join a small table by buffer.
 */
function pageSql(part: ForgottenPart, from: PageCursor | undefined): string {
  const { column, among } = PARTS[part]
  const page = `
    SELECT id, ${column} AS at FROM deliveries FORCE INDEX (deliveries_due)
     WHERE ${among} AND ${column} < NOW(3) - INTERVAL ? MICROSECOND ${behind(column, from)}
     ORDER BY ${column}, id LIMIT ?`
  return part === 'parked' ? forgottenIn(page, (canGo) => canGo) : forgottenIn(page)
}

const behind = (column: string, from: PageCursor | undefined): string =>
  from ? `AND (${column} > ? OR (${column} = ? AND id > ?))` : ''

const placeValues = (from: PageCursor | undefined): SqlValue[] => (from ? [from.at, from.at, from.id] : [])

/**
 * @param page gives id and `at` of deliveries
 * @param due makes a further condition, from the condition that a parked delivery may go
 */
function forgottenIn(page: string, due?: (canGo: string) => string): string {
  const kinds = DELIVERY_KINDS.map((kind) => ({ kind, name: `o_${kind}` }))
  const joins = kinds.map(
    ({ kind, name }) =>
      `LEFT JOIN outbox ${name} FORCE INDEX (outbox_subject) ON ${name}.kind = '${kind}' AND ${name}.subject_id = page.id`,
  )
  const conditions = kinds.map(({ name }) => `${name}.id IS NULL`)
  if (due) {
    joins.push(
      'LEFT JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = page.id',
      'LEFT JOIN webhooks w FORCE INDEX (PRIMARY) ON w.id = d.webhook_id AND w.is_active = 1',
      'LEFT JOIN companies c FORCE INDEX (PRIMARY) ON c.id = w.company_id AND c.suspended_at IS NOT NULL',
    )
    conditions.push(due('w.id IS NOT NULL AND c.id IS NULL'))
  }
  return `
    SELECT page.id, page.at, ${conditions.join(' AND ')} AS is_forgotten
      FROM (${page}) page
      ${joins.join('\n      ')}
     ORDER BY page.at, page.id`
}

/** As wakeForgottenDeliveries, along the open deliveries of one group, the oldest first, parked or not. */
export async function wakeForgottenOf(
  db: SystemDb,
  { companyId, environment, status }: OpenGroup,
  { afterMs, from, limit }: Page,
): Promise<ForgottenPage> {
  const afterUs = toMicroseconds(afterMs)
  const values = [afterUs, afterUs, companyId, environment, status, ...placeValues(from), limit]
  return wakePage(db, { sql: groupPageSql(from), values }, limit)
}

function groupPageSql(from: PageCursor | undefined): string {
  const page = `
    SELECT id, created_at AS at, wake_at, parked_at FROM deliveries FORCE INDEX (deliveries_tenant)
     WHERE company_id = ? AND environment = ? AND status = ? ${behind('created_at', from)}
     ORDER BY created_at, id LIMIT ?`
  const isLate = (column: string) => `page.${column} < NOW(3) - INTERVAL ? MICROSECOND`
  return forgottenIn(
    page,
    (canGo) =>
      `COALESCE((page.parked_at IS NULL AND ${isLate('wake_at')}) OR (${isLate('parked_at')} AND ${canGo}), 0)`,
  )
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
