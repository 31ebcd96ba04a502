import type { ListWindow } from '../domain/pagination.ts'
import type { Place } from '../domain/list-cursor.ts'
import { allOf } from './conditions.ts'
import { joined, NOTHING, rawSql, sql, type Statement } from './connection/statements.ts'

/** The content of a list: ranges of one index, whose rows are merged, and a condition that chooses among these rows. */
export type Listing = {
  /** The table and its index, such as `deliveries FORCE INDEX (deliveries_status)`. */
  readonly from: Statement
  /** The condition of each range. In the index the rows of a range must be in the order of created_at and id. */
  readonly ranges: readonly Statement[]
  /** Decides which rows the list shows, if the index alone cannot. The joins add tables by `scanned.id`. */
  readonly shows?: { readonly joins: Statement; readonly condition: Statement } | undefined
}

/** A part of a list: at most `limit` rows after the place `before`. */
export type PartRequest = { readonly limit: number; readonly before: Place | undefined }

/** A part of the rows within a window. */
export type ListPart = ListWindow & PartRequest

/** A range, and the place where the latest read of it ended; undefined: the range was not read yet. */
type RangeLeft = { readonly condition: Statement; readonly end: Place | undefined }

/** The statement that reads the next `count` rows of each range. Each row has the number of its range. */
export function scanStatement(
  { from, shows }: Listing,
  ranges: readonly RangeLeft[],
  count: number,
  window: ListWindow,
): Statement {
  const parts = ranges.map(
    ({ condition, end }, number) => sql`
      SELECT id, created_at, ${number} AS range_number FROM ${from}
       WHERE ${allOf([condition, ...windowConditions(window, end)])}
       ORDER BY created_at DESC, id DESC LIMIT ${count}`,
  )
  return sql`
    select scanned.id, scanned.created_at, scanned.range_number, ${shows?.condition ?? 1} AS is_shown
      from (${unionOf(parts)}) scanned ${shows?.joins ?? NOTHING}`
}

/** Combines SELECTs with UNION ALL. A single one gets no parentheses, because older servers reject two pairs around it. */
export const unionOf = (parts: readonly Statement[]): Statement =>
  joined(parts.length === 1 ? parts : parts.map((part) => sql`(${part})`), ' UNION ALL ')

/** Turns a window, and the place after which a part begins, into conditions on created_at and the id. */
export const windowConditions = (
  { createdAfter, createdBefore }: ListWindow,
  before: Place | undefined,
): (Statement | undefined)[] => [
  createdAfter && sql`created_at >= ${createdAfter}`,
  createdBefore && sql`created_at < ${createdBefore}`,
  before && olderThan(before),
]

/**
 * The condition for rows older than a place, as two ranges of the index. With `created_at <= ?`, each part would read
 * all rows of that moment again.
 *
 * @param table name or alias, needed if a joined table has the same columns
 */
export function olderThan({ createdAt, id }: Place, table?: string): Statement {
  const start = rawSql(table === undefined ? '' : `${table}.`)
  return sql`(${start}created_at < ${createdAt} OR (${start}created_at = ${createdAt} AND ${start}id < ${id}))`
}

/** The place of a row. */
export const toPlace = ({ id, created_at }: { id: string; created_at: Date }): Place => ({
  id,
  createdAt: created_at,
})

/** The order of lists, for queries of knex. */
export const NEWEST_FIRST: { column: string; order: 'desc' }[] = [
  { column: 'created_at', order: 'desc' },
  { column: 'id', order: 'desc' },
]

/** The same order, for places that are in memory. */
export const newestFirst = (a: Place, b: Place): number =>
  b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1)
