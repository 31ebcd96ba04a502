import { newId } from '../../domain/ids.ts'
import { floorTo, HOUR_MS } from '../../domain/instants.ts'
import type { NewNotice, NoticeFacts, NoticeKind } from '../../domain/notice/notice.ts'
import { NOW } from '../clock.ts'
import type { SystemDb } from '../connection/connection.ts'
import { insertRows, readRows, run, sql, type Statement } from '../connection/statements.ts'

/** One statement writes at most this many rows. */
const PAGE = 500

/** An existing notice stays as it is, except that its number may rise. */
const UNLESS_THERE = sql`ON DUPLICATE KEY UPDATE total = GREATEST(total, VALUES(total))`

/** Writes notices. If there is one with the same kind, target and hour, only its number rises. */
export async function insertNotices(db: SystemDb, notices: readonly NewNotice[]): Promise<void> {
  // In a fixed order, so that two leaders at once cannot deadlock.
  const sorted = [...notices].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  for (let from = 0; from < sorted.length; from += PAGE) {
    const rows = sorted
      .slice(from, from + PAGE)
      .map(({ kind, tenant, targetId, hour, total, at, error }) => ({
        id: newId('notice'),
        company_id: tenant?.companyId ?? null,
        environment: tenant?.environment ?? null,
        kind,
        target_id: targetId,
        hour,
        total,
        at,
        error,
        state: 'new',
        created_at: NOW,
      }))
    await run(db, insertRows('notices', rows, UNLESS_THERE))
  }
}

/** The order of the unique key. */
const orderOf = ({ kind, targetId, hour }: NewNotice): string => `${kind} ${targetId} ${hour.toISOString()}`

/** The statement that writes a notice of a webhook if the previous statement wrote a row. */
export const noticeIfWritten = (
  { kind, webhookId, now }: { readonly kind: NoticeKind; readonly webhookId: string; readonly now: Date },
  { total = null, at = null, error = null }: Partial<NoticeFacts>,
): Statement => sql`
  INSERT INTO notices (id, company_id, environment, kind, target_id, hour, total, at, error, state, created_at)
  SELECT ${newId('notice')}, company_id, environment, ${kind}, id, ${floorTo(now, HOUR_MS)},
         ${total}, ${at}, ${error}, 'new', ${now}
    FROM webhooks WHERE id = ${webhookId} AND ROW_COUNT() > 0 ${UNLESS_THERE}`

/** Whether the operator has a notice of this kind whose cause is not older than the time. */
export async function hasOperatorNotice(db: SystemDb, kind: NoticeKind, since: Date): Promise<boolean> {
  const found = await readRows(db)`
    SELECT id FROM notices WHERE kind = ${kind} AND target_id = '' AND hour >= ${since} LIMIT 1`
  return found.length > 0
}
