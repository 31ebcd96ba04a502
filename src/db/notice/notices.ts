import { allOf, isOneOf, ofTenantSql } from '../conditions.ts'
import type { ListWindow } from '../../domain/pagination.ts'
import {
  NOTICE_KINDS,
  TENANT_NOTICES,
  type Notice,
  type NoticeKind,
  type NoticeReader,
} from '../../domain/notice/notice.ts'
import type { Environment, Tenant } from '../../domain/tenant.ts'
import type { FoundPlaces } from '../../domain/list-cursor.ts'
import type { Db, SystemDb } from '../connection/connection.ts'
import { NOTHING, readRows, sql, type Statement } from '../connection/statements.ts'
import { findPlaces } from '../list-places.ts'
import type { Listing, PartRequest } from '../place-statements.ts'
import { IS_OPEN, joinMarks } from './marks.ts'

/**
 * The filter of a list of notices. `kinds` undefined: all kinds that this release knows. `of` undefined: both open and
 * done notices. After a step back to a former release the table may have kinds that this code has no sentence for.
 * These are neither shown nor counted.
 */
export type NoticeFilter = ListWindow & {
  readonly kinds?: readonly NoticeKind[] | undefined
  /** `isOpen`: true for the notices that are open for the reader, false for the others. */
  readonly of?: (NoticeReader & { readonly isOpen: boolean }) | undefined
}

/** The columns of `notices` that people see. */
export type NoticeRow = {
  id: string
  company_id: string | null
  environment: Environment | null
  kind: NoticeKind
  target_id: string
  hour: Date
  total: number | null
  at: Date | null
  error: string | null
  created_at: Date
  done_at: Date | null
  done_by: string | null
  name?: string | null
}

export const toNotice = (row: NoticeRow): Notice => ({
  id: row.id,
  tenant:
    row.company_id !== null && row.environment !== null
      ? { companyId: row.company_id, environment: row.environment }
      : null,
  kind: row.kind,
  targetId: row.target_id,
  hour: row.hour,
  total: row.total,
  at: row.at,
  error: row.error,
  createdAt: row.created_at,
  name: row.name ?? null,
  doneAt: row.done_at,
  doneBy: row.done_by,
})

/** Finds the places of a part of the tenants' notices, newest first. See findPlaces for what it costs. */
export const findNoticePlaces = (
  db: Db,
  tenants: readonly Tenant[],
  filter: NoticeFilter,
  part: PartRequest,
): Promise<FoundPlaces> => {
  const from = sql`notices FORCE INDEX (notices_list)`
  const listing = {
    from,
    ranges: tenants.map((tenant) => ofTenantSql(tenant)),
    shows: shownOf(filter, TENANT_NOTICES),
  }
  return findPlaces(db, listing, { ...filter, ...part })
}

/** Finds the places of a part of all notices, those for the operator included. See findPlaces for what it costs. */
export const findAllNoticePlaces = (
  db: SystemDb,
  filter: NoticeFilter,
  part: PartRequest,
): Promise<FoundPlaces> => {
  const from = sql`notices FORCE INDEX (notices_age)`
  const listing = { from, ranges: [sql`1 = 1`], shows: shownOf(filter, NOTICE_KINDS) }
  return findPlaces(db, listing, { ...filter, ...part })
}

/** The condition by which a list chooses notices. It uses columns that the index of the list lacks. */
function shownOf({ kinds, of }: NoticeFilter, known: readonly NoticeKind[]): Listing['shows'] {
  const isDone = of && (of.isOpen ? IS_OPEN : sql`NOT ${IS_OPEN}`)
  return {
    joins: sql`
      LEFT JOIN notices n FORCE INDEX (PRIMARY) ON n.id = scanned.id ${of ? joinMarks(of) : NOTHING}`,
    condition: allOf([sql`n.kind IN (${kinds ?? known})`, isDone]),
  }
}

/** The tenants' notices with these ids, in no particular order. Kinds that this release does not know are left out. */
export async function findNotices(
  db: Db,
  tenants: readonly Tenant[],
  ids: readonly string[],
): Promise<Notice[]> {
  if (tenants.length === 0) return []
  return readNotices(
    db,
    sql`notices.kind IN (${TENANT_NOTICES}) AND notices.id IN (${ids}) AND ${isOneOf('notices', tenants)}`,
  )
}

/** The notices with these ids, of all companies, in no particular order. */
export const findAllNotices = (db: SystemDb, ids: readonly string[]): Promise<Notice[]> =>
  readNotices(db, sql`notices.id IN (${ids})`)

async function readNotices(db: Db, condition: Statement): Promise<Notice[]> {
  const rows = await readRows<NoticeRow>(db)`
    SELECT notices.*, COALESCE(w.name, k.name, c.name, c.target) AS name FROM notices
      LEFT JOIN webhooks w ON w.id = notices.target_id
      LEFT JOIN api_keys k ON k.id = notices.target_id
      LEFT JOIN notice_channels c ON c.id = notices.target_id
     WHERE ${condition}`
  return rows.map(toNotice)
}
