import { insertNotices } from '../../src/db/notice/new-notices.ts'
import type { SystemDb } from '../../src/db/connection/connection.ts'
import { newId } from '../../src/domain/ids.ts'
import { noticeOf, type NoticeFacts, type NoticeKind } from '../../src/domain/notice/notice.ts'
import type { Tenant } from '../../src/domain/tenant.ts'

type Made = Partial<NoticeFacts> & { readonly targetId?: string; readonly createdAt?: Date }

/** Inserts a notice about something that happened when the notice was created, and returns its id. */
export async function makeNotice(
  db: SystemDb,
  tenant: Tenant | null,
  kind: NoticeKind,
  { targetId = newId('webhook'), createdAt = new Date(), ...facts }: Made = {},
): Promise<string> {
  await insertNotices(db, [noticeOf({ kind, tenant, targetId, causeAt: createdAt }, facts)])
  const made = db('notices').where({ kind, target_id: targetId })
  await made.clone().update({ created_at: createdAt })
  const { id } = await made.first<{ id: string }>('id')
  return id
}

/** Inserts `count` notices, each about a different webhook. */
export const makeNotices = (db: SystemDb, tenant: Tenant, count: number): Promise<unknown> =>
  insertNotices(
    db,
    Array.from({ length: count }, () => {
      const what = { kind: 'deliveries_failed', tenant, targetId: newId('webhook') } as const
      return noticeOf({ ...what, causeAt: new Date() }, { total: 1 })
    }),
  )

/** The rows of all notices about a target, in the order of creation. */
export const noticesAbout = (db: SystemDb, targetId: string) =>
  db('notices').where({ target_id: targetId }).orderBy('id')
