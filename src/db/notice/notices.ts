import { allOf, ofTenantSql } from '../conditions.ts'
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
import { placeholders, readRows, type SqlValue, type Statement } from '../connection/statements.ts'
import { findPlaces } from '../list-places.ts'
import type { Listing, ListPart } from '../place-statements.ts'
import { IS_OPEN, joinMarks } from './marks.ts'

/**
 * Which notices a list shows; `kinds` undefined shows all that this release knows, and `of` undefined both. A later release
 * writes kinds that no sentence here tells: after a step back they are neither shown nor counted.
 */
export type NoticeFilter = ListWindow & {
  readonly kinds?: readonly NoticeKind[] | undefined
  /** Those that are open for the reader, or those that are done. */
  readonly of?: (NoticeReader & { readonly isOpen: boolean }) | undefined
}

/** The part of a list of notices that is wanted. */
type NoticePart = Pick<ListPart, 'limit' | 'before'>

/** A row of `notices`, without what only the service itself needs. */
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
  part: NoticePart,
): Promise<FoundPlaces> => {
  const ranges = tenants.map(ofTenantSql)
  const listing = {
    from: 'notices FORCE INDEX (notices_list)',
    ranges,
    shows: shownOf(filter, TENANT_NOTICES),
  }
  return findPlaces(db, listing, { ...filter, ...part })
}

/** Finds the places of a part of all notices, those for the operator too. See findPlaces for what it costs. */
export const findAllNoticePlaces = (
  db: SystemDb,
  filter: NoticeFilter,
  part: NoticePart,
): Promise<FoundPlaces> => {
  const everything = { sql: '1 = 1', values: [] }
  const listing = {
    from: 'notices FORCE INDEX (notices_age)',
    ranges: [everything],
    shows: shownOf(filter, NOTICE_KINDS),
  }
  return findPlaces(db, listing, { ...filter, ...part })
}

/** Which notices a list shows, by what its index does not have. */
function shownOf({ kinds, of }: NoticeFilter, known: readonly NoticeKind[]): Listing['shows'] {
  const shown = kinds ?? known
  const conditions: Statement[] = [
    { sql: `n.kind IN (${placeholders(shown.length)})`, values: shown },
    ...(of ? [{ sql: `${of.isOpen ? '' : 'NOT '}${IS_OPEN}`, values: [] }] : []),
  ]
  const marks = of && joinMarks(of)
  return {
    joins: {
      sql: `LEFT JOIN notices n FORCE INDEX (PRIMARY) ON n.id = scanned.id ${marks?.sql ?? ''}`,
      values: marks?.values ?? [],
    },
    condition: allOf(conditions),
  }
}

/** The tenants' notices among the ids, in no particular order, without those of kinds that this release does not know. */
export async function findNotices(
  db: Db,
  tenants: readonly Tenant[],
  ids: readonly string[],
): Promise<Notice[]> {
  if (tenants.length === 0) return []
  return readNotices(
    db,
    `notices.kind IN (${placeholders(TENANT_NOTICES.length)}) AND notices.id IN (${placeholders(ids.length)}) AND (notices.company_id, notices.environment) IN (${tenants.map(() => '(?, ?)').join(', ')})`,
    [...TENANT_NOTICES, ...ids, ...tenants.flatMap(({ companyId, environment }) => [companyId, environment])],
  )
}

/** The notices of all companies among the ids, in no particular order. */
export const findAllNotices = (db: SystemDb, ids: readonly string[]): Promise<Notice[]> =>
  readNotices(db, `notices.id IN (${placeholders(ids.length)})`, ids)

async function readNotices(db: Db, condition: string, values: readonly SqlValue[]): Promise<Notice[]> {
  const sql = `SELECT notices.*, COALESCE(w.name, k.name, c.name, c.target) AS name FROM notices
                 LEFT JOIN webhooks w ON w.id = notices.target_id
                 LEFT JOIN api_keys k ON k.id = notices.target_id
                 LEFT JOIN notice_channels c ON c.id = notices.target_id
                WHERE ${condition}`
  const rows = await readRows<NoticeRow>(db, { sql, values })
  return rows.map(toNotice)
}
