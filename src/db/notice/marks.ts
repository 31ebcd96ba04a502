import { TENANT_NOTICES, type NoticeReader } from '../../domain/notice/notice.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Place } from '../../domain/list-cursor.ts'
import type { Db } from '../connection/connection.ts'
import { execute, readRows, sql, type Statement } from '../connection/statements.ts'
import { ofTenant, ofTenantSql } from '../conditions.ts'

/** Joins the reader's marks to the notices `n`. */
export const joinMarks = ({ tenant: { companyId, environment }, userId }: NoticeReader): Statement => sql`
  LEFT JOIN notice_marks m ON m.company_id = ${companyId} AND m.user_id = ${userId} AND m.notice_id = n.id
  LEFT JOIN notice_places p
    ON p.company_id = ${companyId} AND p.user_id = ${userId} AND p.environment = ${environment}`

/** Whether the reader of joinMarks is done with the notice `n`. The mark of the notice overrides the place. */
const IS_DONE_FOR_READER = sql`COALESCE(m.is_done, (n.created_at, n.id) <= (p.created_at, p.notice_id), 0) = 1`

/** Whether the notice `n` is open for the reader of joinMarks. */
export const IS_OPEN = sql`(n.done_at IS NULL AND NOT ${IS_DONE_FOR_READER})`

/** A count reads at most this many notices: the newest. A page shows no number above 99, so more would be useless. */
const COUNTED_AT_MOST = 1_000

/**
 * How many of the newest COUNTED_AT_MOST notices are open for the reader. Notices that no list shows are not counted;
 * see NoticeFilter. It reads only these newest notices, however many more there are.
 */
export async function countOpenNotices(db: Db, reader: NoticeReader): Promise<number> {
  const [row] = await readRows<{ open: number }>(db)`
    SELECT COUNT(*) AS open
      FROM (SELECT id, kind, created_at, done_at FROM notices FORCE INDEX (notices_list)
             WHERE ${ofTenantSql(reader.tenant)} ORDER BY created_at DESC, id DESC LIMIT ${COUNTED_AT_MOST}) n
      ${joinMarks(reader)}
     WHERE ${IS_OPEN} AND n.kind IN (${TENANT_NOTICES})`
  return row?.open ?? 0
}

/** Which of these notices the reader is done with, whether or not they are done for all users. */
export async function listDoneForReader(
  db: Db,
  reader: NoticeReader,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await readRows<{ id: string }>(db)`
    SELECT n.id FROM (SELECT id, created_at FROM notices WHERE id IN (${ids}) AND ${ofTenantSql(reader.tenant)}) n
      ${joinMarks(reader)} WHERE ${IS_DONE_FOR_READER}`
  return new Set(rows.map(({ id }) => id))
}

type MarkedNotice = Place & { readonly kind: string; readonly targetId: string; readonly doneAt: Date | null }

/** The notice of the tenant. Its row is locked against changes until the transaction ends. */
export async function lockNotice(trx: Db, tenant: Tenant, id: string): Promise<MarkedNotice | undefined> {
  const [notice] = await readRows<MarkedNotice>(trx)`
    SELECT id, created_at AS createdAt, kind, target_id AS targetId, done_at AS doneAt
      FROM notices WHERE id = ${id} AND ${ofTenantSql(tenant)} FOR UPDATE`
  return notice
}

const marksOf = (db: Db, companyId: string, userId: string) =>
  db('notice_marks').where({ company_id: companyId, user_id: userId })

/** Marks one notice for its reader. @returns false if the reader has `most` marks of other notices already */
export async function markForReader(
  trx: Db,
  { tenant: { companyId }, userId }: NoticeReader,
  noticeId: string,
  { isDone, most }: { readonly isDone: boolean; readonly most: number },
): Promise<boolean> {
  const marks = marksOf(trx, companyId, userId)
  const changed = await marks.clone().where({ notice_id: noticeId }).update({ is_done: isDone })
  if (changed > 0) return true
  const kept = await marks.clone().limit(most).pluck('notice_id')
  if (kept.length >= most) return false
  const mark = { company_id: companyId, user_id: userId, notice_id: noticeId, is_done: isDone }
  await trx('notice_marks').insert(mark)
  return true
}

/**
 * Marks all notices up to a place as done for the reader. The place never moves back. Marks of notices up to the place
 * are removed, because the place now says the same. It also removes marks of notices that a worker of a former release
 * has removed. It reads and removes at most as many marks as a user may have.
 */
export async function markUpTo(
  trx: Db,
  { tenant: { companyId, environment }, userId }: NoticeReader,
  { createdAt, id }: Place,
): Promise<void> {
  await execute(trx)`
    INSERT INTO notice_places (company_id, user_id, environment, created_at, notice_id)
    VALUES (${companyId}, ${userId}, ${environment}, ${createdAt}, ${id})
    ON DUPLICATE KEY UPDATE
      notice_id = IF((VALUES(created_at), VALUES(notice_id)) > (created_at, notice_id), VALUES(notice_id), notice_id),
      created_at = GREATEST(created_at, VALUES(created_at))`
  const passed = await readRows<{ notice_id: string }>(trx)`
    SELECT m.notice_id FROM notice_marks m LEFT JOIN notices n ON n.id = m.notice_id
     WHERE m.company_id = ${companyId} AND m.user_id = ${userId}
       AND (n.id IS NULL OR (n.environment = ${environment} AND (n.created_at, n.id) <= (${createdAt}, ${id})))`
  const ids = passed.map(({ notice_id: noticeId }) => noticeId)
  if (ids.length > 0) await marksOf(trx, companyId, userId).whereIn('notice_id', ids).delete()
}

/** Marks a notice as done for all users, or as open again. @param done by whom and when; null: it is open */
export async function markForAll(
  trx: Db,
  tenant: Tenant,
  id: string,
  done: { readonly by: string; readonly at: Date } | null,
): Promise<void> {
  await trx('notices')
    .where({ id, ...ofTenant(tenant) })
    .update({ done_at: done?.at ?? null, done_by: done?.by ?? null })
}

/** Removes all marks of a user. */
export async function deleteMarks(trx: Db, companyId: string, userId: string): Promise<void> {
  const own = { company_id: companyId, user_id: userId }
  for (const table of ['notice_marks', 'notice_places']) await trx(table).where(own).delete()
}
