import type { Notice } from '../../domain/notice/notice.ts'
import { databaseNow } from '../clock.ts'
import { inTransaction, type Db } from '../connection/connection.ts'
import { toNotice, type NoticeRow } from '../notice/notices.ts'

/** Notices of the state, oldest first, locked; those that another transaction locks are left out. */
const locked = (trx: Db, state: 'new' | 'waiting') =>
  trx
    .from(trx.raw('notices FORCE INDEX (notices_state)'))
    .where({ state })
    .orderBy(['created_at', 'id'])
    .forUpdate()
    .skipLocked()

async function setState(trx: Db, notices: readonly Notice[], state: 'waiting' | 'done'): Promise<void> {
  const ids = notices.map(({ id }) => id)
  await trx('notices').whereIn('id', ids).update({ state })
}

/**
 * Takes notices that nobody has told yet, oldest first. Each is given to one caller alone.
 *
 * @param next what becomes of them: they wait for a batch, or they are done
 * @returns fewer than the limit: there are no others
 */
export async function takeNew(db: Db, next: 'waiting' | 'done', limit: number): Promise<Notice[]> {
  return inTransaction(db, async (trx) => {
    const notices = (await locked(trx, 'new').limit(limit).select<NoticeRow[]>('*')).map(toNotice)
    if (notices.length > 0) await setState(trx, notices, next)
    return notices
  })
}

/** What is sent to NOTICE_URL. Its id and its bytes are the same however often it is sent. */
export type NoticeBatch = { readonly id: string; readonly body: Buffer }

/** The batch that was begun first and is not answered yet. */
export const findOpenBatch = (db: Db): Promise<NoticeBatch | undefined> =>
  db('notice_batches').orderBy('created_at').first<NoticeBatch | undefined>('id', 'body')

/**
 * Makes a batch of waiting notices: those for the operator first, then the oldest.
 *
 * @param make gives id and bytes of the batch; it may be called again when the transaction starts over
 * @returns undefined when no notice waits
 */
export async function createBatch(
  db: Db,
  limit: number,
  make: (notices: readonly Notice[], now: Date) => NoticeBatch,
): Promise<NoticeBatch | undefined> {
  return inTransaction(db, async (trx) => {
    const notices = await lockWaiting(trx, limit)
    if (notices.length === 0) return undefined
    const now = await databaseNow(trx)
    const batch = make(notices, now)
    await trx('notice_batches').insert({ ...batch, created_at: now })
    await setState(trx, notices, 'done')
    return batch
  })
}

async function lockWaiting(trx: Db, limit: number): Promise<Notice[]> {
  const forOperator = await trx
    .from(trx.raw('notices FORCE INDEX (notices_list)'))
    .where({ company_id: null, environment: null, state: 'waiting' })
    .orderBy(['created_at', 'id'])
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .select<NoticeRow[]>('*')
  const rest = limit - forOperator.length
  const others =
    rest === 0
      ? []
      : await locked(trx, 'waiting').whereNotNull('company_id').limit(rest).select<NoticeRow[]>('*')
  return [...forOperator, ...others].map(toNotice)
}

/** Forgets a batch that was answered. */
export async function deleteBatch(db: Db, id: string): Promise<void> {
  await db('notice_batches').where({ id }).delete()
}
