import { allOf, isAfter } from '../conditions.ts'
import { afterNow } from '../clock.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { NOTHING, rawSql, readRows, sql, type Statement } from '../connection/statements.ts'
import { DELIVERY_KINDS } from '../outbox/outbox.ts'
import type { OpenGroup } from './open-groups.ts'
import { queueToGoOn, WAITING_COLUMNS, type WaitingRow } from '../outbox/going-on.ts'

/** The last delivery of a page. The next page begins after it. */
export type PageCursor = { readonly at: Date; readonly id: string }

type ForgottenPage = {
  /** The number of deliveries that were queued again. */
  readonly queued: number
  /** Where the next page begins; undefined if there is none. */
  readonly next: PageCursor | undefined
}

/**
 * The two kinds of deliveries to look through. `column` has the time by which they are ordered. `among` demands that
 * the other two times of the index deliveries_due are NULL. So MySQL and MariaDB read the index in the order of
 * `column`.
 */
const PARTS = {
  overdue: { column: 'wake_at', among: 'closed_at IS NULL AND parked_at IS NULL' },
  parked: { column: 'parked_at', among: 'closed_at IS NULL AND wake_at IS NULL' },
} as const

export type ForgottenPart = keyof typeof PARTS

type Page = {
  /** Only deliveries that have been overdue or parked for longer than this, in milliseconds. */
  readonly afterMs: number
  /** The end of the page before this one; undefined: begin at the start. */
  readonly from: PageCursor | undefined
  readonly limit: number
}

/**
 * Reads a page of open deliveries that are long overdue, or were parked long ago although their webhook is active and
 * their company is not suspended. It queues those that no outbox row will wake. So deliveries go on even if Temporal's
 * store is lost, or somebody ends a workflow by hand. It reads at most `limit` deliveries along one index, however many
 * wait.
 */
export function wakeForgottenDeliveries(
  db: SystemDb,
  part: ForgottenPart,
  { afterMs, from, limit }: Page,
): Promise<ForgottenPage> {
  const { column, among } = PARTS[part]
  const page = sql`
    SELECT id, ${rawSql(column)} AS at FROM deliveries FORCE INDEX (deliveries_due)
     WHERE ${rawSql(among)} AND ${rawSql(column)} < ${afterNow(-afterMs)} AND ${isAfter(column, from)}
     ORDER BY ${rawSql(column)}, id LIMIT ${limit}`
  return wakePage(db, page, limit, part === 'parked' ? CAN_GO : undefined)
}

/** Like wakeForgottenDeliveries, but for the open deliveries of one group, the oldest first, parked or not. */
export function wakeForgottenOf(
  db: SystemDb,
  { companyId, environment, status }: OpenGroup,
  { afterMs, from, limit }: Page,
): Promise<ForgottenPage> {
  const page = sql`
    SELECT id, created_at AS at, wake_at, parked_at FROM deliveries FORCE INDEX (deliveries_tenant)
     WHERE company_id = ${companyId} AND environment = ${environment} AND status = ${status}
       AND ${isAfter('created_at', from)}
     ORDER BY created_at, id LIMIT ${limit}`
  const isLate = (column: string) => sql`page.${rawSql(column)} < ${afterNow(-afterMs)}`
  const isDue = sql`(page.parked_at IS NULL AND ${isLate('wake_at')}) OR (${isLate('parked_at')} AND ${CAN_GO})`
  return wakePage(db, page, limit, sql`COALESCE(${isDue}, 0)`)
}

/** Whether a parked delivery may be woken: it has an active webhook `w`, and no suspended company `c`. */
const CAN_GO = sql`w.id IS NOT NULL AND c.id IS NULL`

const JOIN_PARKING = sql`
  LEFT JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = page.id
  LEFT JOIN webhooks w FORCE INDEX (PRIMARY) ON w.id = d.webhook_id AND w.is_active = 1
  LEFT JOIN companies c FORCE INDEX (PRIMARY) ON c.id = w.company_id AND c.suspended_at IS NOT NULL`

/**
 * Queues the forgotten deliveries of a page. It joins the outbox once for each kind of row, by the whole unique key.
 * With a list of kinds, MariaDB would compare page and outbox row by row. The query names the indexes. Otherwise MySQL
 * or MariaDB might read all of a small table to join it.
 *
 * @param page selects id and `at` of deliveries
 * @param due a further condition. It may use `page` and the tables of JOIN_PARKING
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
  const isForgotten = allOf([...DELIVERY_KINDS.map((kind) => rawSql(`o_${kind}.id IS NULL`)), due])
  const rows = await readRows<PageCursor & { is_forgotten: number }>(db)`
    SELECT page.id, page.at, ${isForgotten} AS is_forgotten
      FROM (${page}) page ${rawSql(joins.join(' '))} ${due ? JOIN_PARKING : NOTHING}
     ORDER BY page.at, page.id`
  const forgotten = rows.filter((row) => row.is_forgotten).map(({ id }) => id)
  const last = rows.length < limit ? undefined : rows.at(-1)
  return { queued: await queueAgain(db, forgotten), next: last && { at: last.at, id: last.id } }
}

/** Skips deliveries that another transaction locks. A later round finds those that still wait. */
async function queueAgain(db: SystemDb, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  return inTransaction(db, async (trx) => {
    const rows = await readRows<WaitingRow>(trx)`
      SELECT ${WAITING_COLUMNS} FROM deliveries WHERE id IN (${ids}) FOR UPDATE SKIP LOCKED`
    await queueToGoOn(trx, rows)
    return rows.length
  })
}
