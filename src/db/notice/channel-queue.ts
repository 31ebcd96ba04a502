import { addPending, type PendingNotices } from '../../domain/notice/channel.ts'
import type { Notice, NoticeKind } from '../../domain/notice/notice.ts'
import { FROM_NOW, toMicroseconds } from '../clock.ts'
import type { SystemDb } from '../connection/connection.ts'
import type { ChannelRow } from './channels.ts'

/**
 * Adds new notices to what waits for the channels of their companies, in the transaction that takes them from `new`. A
 * message is due once the pause since the latest one is over. Bound: a statement for each channel of the companies
 * that have a notice among these.
 */
export async function queueForChannels(trx: SystemDb, notices: readonly Notice[]): Promise<void> {
  const companies = Map.groupBy(notices, ({ tenant }) => tenant?.companyId ?? '')
  const rows = await trx<ChannelRow>('notice_channels')
    .whereIn('company_id', [...companies.keys()])
    .whereNotNull('confirmed_at')
    .whereNull('off_at')
    .orderBy('id')
    .forUpdate()
    .select('id', 'company_id', 'notice_kinds', 'pending', 'pause_ms')
  for (const row of rows) {
    const kinds = row.notice_kinds === null ? undefined : (JSON.parse(row.notice_kinds) as NoticeKind[])
    const told = companies.get(row.company_id)?.filter(({ kind }) => kinds?.includes(kind) ?? true) ?? []
    if (told.length === 0) continue
    const before = row.pending === null ? null : (JSON.parse(row.pending) as PendingNotices)
    const pending = addPending(
      before,
      told.map(({ id }) => id),
    )
    await trx('notice_channels')
      .where({ id: row.id })
      .update({ pending: JSON.stringify(pending), due_at: trx.raw(DUE, [toMicroseconds(row.pause_ms)]) })
  }
}

/** SQL for the end of the pause since the latest message. Its value is the pause. */
export const DUE_AFTER_PAUSE = 'GREATEST(NOW(3), COALESCE(last_sent_at + INTERVAL ? MICROSECOND, NOW(3)))'

/** A row that is due already stays so: its try, or the end of its lease, is as planned. */
const DUE = `COALESCE(due_at, ${DUE_AFTER_PAUSE})`

/**
 * Makes what waits for a channel the message on its way.
 *
 * @returns false when something was added since it was read
 */
export async function freezeMessage(
  db: SystemDb,
  { id, pending }: Pick<ChannelRow, 'id' | 'pending'>,
  message: string,
): Promise<boolean> {
  const changed = await db('notice_channels').where({ id, pending }).update({ message, pending: null })
  return changed === 1
}

/** SQL for the time of the next message: after the pause if something waits. Its value is the pause. */
export const NEXT_DUE = `IF(pending IS NULL, NULL, ${FROM_NOW})`
