import type { Actor } from '../domain/actor.ts'
import type { AuditAction } from '../domain/audit/actions.ts'
import type { AuditDetails, AuditFilter } from '../domain/audit/entry.ts'
import { allOf } from './conditions.ts'
import type { Db } from './connection/connection.ts'
import { insertRows, rawSql, readRows, run, sql, type Statement } from './connection/statements.ts'

export type AuditEntry = {
  readonly companyId: string
  readonly at: Date
  readonly actor: Actor
  readonly action: AuditAction
  readonly targetId: string
  readonly details?: AuditDetails
}

/** Writes the entry in the transaction of the change that it records. */
export async function insertAudit(trx: Db, entry: AuditEntry): Promise<void> {
  await run(trx, insertRows('audit', [rowOf(entry)]))
}

/** The statement that writes the entry if the previous statement of the same call found a row. */
export function auditIfChanged(entry: AuditEntry): Statement {
  const row = rowOf(entry)
  return sql`
    INSERT INTO audit (${rawSql(Object.keys(row).join(', '))})
    SELECT ${Object.values(row)} FROM DUAL WHERE ROW_COUNT() > 0`
}

const rowOf = (entry: AuditEntry) => ({
  company_id: entry.companyId,
  at: entry.at,
  actor: entry.actor.id,
  action: entry.action,
  subject_id: entry.targetId,
  details: JSON.stringify(entry.details ?? {}),
  ip: entry.actor.ip ?? null,
  request_id: entry.actor.requestId ?? null,
})

/** An entry as the table has it. */
type WrittenEntry = Required<Pick<AuditEntry, 'at' | 'actor' | 'targetId' | 'details'>> & {
  readonly number: number
  /** One of AUDIT_ACTIONS, unless another release wrote the row. */
  readonly action: string
}

type AuditPlace = Pick<WrittenEntry, 'at' | 'number'>

/** A part of the audit. `next`: the place after which the next part begins; undefined: there is no next part. */
type AuditPart = { readonly entries: readonly WrittenEntry[]; readonly next: AuditPlace | undefined }

/** One part reads at most this many rows. If few of them match the filters, `limit` entries take several parts. */
const MOST_ROWS = 10_000
/** How many rows one statement reads if filters choose among them. */
const ROWS_AT_ONCE = 1_000
/** A part stops reading after this time, in milliseconds. */
const LONGEST_SEARCH_MS = 1_000

/**
 * A part of the company's entries, newest first; with `before` only older ones. It reads the rows of one filter along
 * an index, and the other filters choose among them. So a part may be shorter than `limit` although more entries
 * follow.
 */
export async function findAudit(
  db: Db,
  companyId: string,
  filter: AuditFilter,
  { limit, before }: { readonly limit: number; readonly before: AuditPlace | undefined },
): Promise<AuditPart> {
  const scan = scanOf(companyId, filter)
  const count = scan.isWhole ? limit + 1 : ROWS_AT_ONCE
  const endsAtMs = performance.now() + LONGEST_SEARCH_MS
  const numbers: number[] = []
  let reached = before
  for (let looked = 0; looked < MOST_ROWS && performance.now() < endsAtMs; looked += count) {
    const rows = await scan.read(db, reached, count)
    for (const { id, at, is_shown } of rows) {
      // This entry is one more than `limit`. It shows that the list goes on. The next part begins with it.
      if (is_shown && numbers.length === limit)
        return { entries: await readEntries(db, companyId, numbers), next: reached }
      if (is_shown) numbers.push(id)
      reached = { at, number: id }
    }
    if (rows.length < count) return { entries: await readEntries(db, companyId, numbers), next: undefined }
  }
  return { entries: await readEntries(db, companyId, numbers), next: reached }
}

/**
 * How to find the entries of a filter. The index is that of the filter's target. Without a target it is that of the
 * actor, and without an actor that of the action.
 */
function scanOf(companyId: string, { target, actor, action, createdAfter, createdBefore }: AuditFilter) {
  const given = [
    { index: 'audit_target', column: 'subject_id', value: target },
    { index: 'audit_actor', column: 'actor', value: actor },
    { index: 'audit_action', column: 'action', value: action },
  ].flatMap(({ index, column, value }) =>
    value === undefined ? [] : [{ index, isGiven: sql`${rawSql(column)} = ${value}` }],
  )
  const [first, ...others] = given
  const range = [
    sql`company_id = ${companyId}`,
    first?.isGiven,
    createdAfter && sql`at >= ${createdAfter}`,
    createdBefore && sql`at < ${createdBefore}`,
  ]
  const isShown = others.length > 0 ? allOf(others.map(({ isGiven }) => isGiven)) : 1
  return {
    /** Whether the index applies all filters, so that none is left to choose among the rows. */
    isWhole: others.length === 0,
    read: (db: Db, before: AuditPlace | undefined, count: number) =>
      readRows<{ id: number; at: Date; is_shown: number }>(db)`
        SELECT id, at, ${isShown} AS is_shown FROM audit FORCE INDEX (${rawSql(first?.index ?? 'audit_at')})
         WHERE ${allOf([...range, before && olderThan(before)])} ORDER BY at DESC, id DESC LIMIT ${count}`,
  }
}

const olderThan = ({ at, number }: AuditPlace): Statement =>
  sql`(at < ${at} OR (at = ${at} AND id < ${number}))`

/** The entries with these numbers, in the same order. */
async function readEntries(db: Db, companyId: string, numbers: readonly number[]): Promise<WrittenEntry[]> {
  const rows = await readRows<AuditRow>(db)`
    SELECT id, at, actor, action, subject_id, details, ip FROM audit
     WHERE company_id = ${companyId} AND id IN (${numbers})`
  const byNumber = new Map(rows.map((row) => [row.id, toEntry(row)]))
  return numbers.flatMap((number) => byNumber.get(number) ?? [])
}

type AuditRow = {
  id: number
  at: Date
  actor: string
  action: string
  subject_id: string
  details: string
  ip: string | null
}

const toEntry = (row: AuditRow): WrittenEntry => ({
  number: row.id,
  at: row.at,
  actor: { id: row.actor, ...(row.ip !== null && { ip: row.ip }) },
  action: row.action,
  targetId: row.subject_id,
  details: JSON.parse(row.details) as AuditDetails,
})

/** Whether this request has written an audit entry about the target. */
export async function hasAuditOf(
  trx: Db,
  { companyId, targetId, requestId }: Pick<AuditEntry, 'companyId' | 'targetId'> & { requestId: string },
): Promise<boolean> {
  const found = await readRows(trx)`
    SELECT id FROM audit WHERE company_id = ${companyId} AND subject_id = ${targetId} AND request_id = ${requestId}
     LIMIT 1`
  return found.length > 0
}
