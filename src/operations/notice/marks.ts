import { databaseNow } from '../../db/clock.ts'
import { inTransaction, type Db } from '../../db/connection/connection.ts'
import { countOpenNotices, lockNotice, markForAll, markForReader, markUpTo } from '../../db/notice/marks.ts'
import { lockUser } from '../../db/user/users.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Actor } from '../../domain/actor.ts'
import { conflict, orNotFound } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import { NOTICE_MARKS_AT_MOST, type NoticeReader } from '../../domain/notice/notice.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { auditAs } from '../audit.ts'
import { noMember, requireRole } from '../user/authority.ts'

const lockOrRefuse = async (trx: Db, tenant: Tenant, id: string) =>
  orNotFound(isId('notice', id) ? await lockNotice(trx, tenant, id) : undefined, 'Notice')

/** Locks the user, so that parallel requests of the user cannot exceed the limit of marks. */
async function lockReader(trx: Db, { tenant, userId }: NoticeReader): Promise<void> {
  if (!(await lockUser(trx, tenant.companyId, userId))) throw noMember()
}

/**
 * Marks a notice as done for the reader only, or as open again. A notice that was marked as done for all stays done.
 *
 * @throws ApiError NOT_FOUND, CONFLICT for one mark more than NOTICE_MARKS_AT_MOST
 */
export async function markNotice(
  { db }: Pick<Deps, 'db'>,
  reader: NoticeReader,
  id: string,
  isDone: boolean,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockReader(trx, reader)
    await lockOrRefuse(trx, reader.tenant, id)
    if (!(await markForReader(trx, reader, id, { isDone, most: NOTICE_MARKS_AT_MOST }))) throw tooMany()
  })
}

const tooMany = () =>
  conflict(
    `You have marked ${NOTICE_MARKS_AT_MOST} notices one by one, in live and sandbox together. Mark all as done in both: that clears them.`,
  )

/**
 * Marks this notice and all older ones as done for the reader. One row says so for all of them.
 *
 * @returns how many are still open, as countOpenNotices counts them
 * @throws ApiError NOT_FOUND
 */
export async function markNoticesUpTo(
  { db }: Pick<Deps, 'db'>,
  reader: NoticeReader,
  id: string,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    await lockReader(trx, reader)
    await markUpTo(trx, reader, await lockOrRefuse(trx, reader.tenant, id))
    return countOpenNotices(trx, reader)
  })
}

/**
 * Marks a notice as done for all users of the company, or as open again for users who have not marked it as done themselves.
 *
 * @throws ApiError NOT_FOUND, INSUFFICIENT_PERMISSIONS
 */
export async function markNoticeForAll(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  actor: Actor,
  id: string,
  isDone: boolean,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await requireRole(trx, tenant.companyId, actor, 'notices.write')
    const { kind, targetId, doneAt } = await lockOrRefuse(trx, tenant, id)
    if (isDone === (doneAt !== null)) return
    const now = await databaseNow(trx)
    await markForAll(trx, tenant, id, isDone ? { by: actor.id, at: now } : null)
    const action = isDone ? 'notice.done' : 'notice.reopen'
    await auditAs(tenant, actor)(trx, action, id, now, { kind, about: targetId })
  })
}
