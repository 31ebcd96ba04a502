import type { Knex } from 'knex'
import {
  addPending,
  type Channel,
  type ChannelKind,
  type PendingNotices,
} from '../../domain/notice/channel.ts'
import type { NoticeKind, Notice } from '../../domain/notice/notice.ts'
import type { Db, SystemDb } from '../connection/connection.ts'
import type { DueRow } from '../due-rows.ts'
import { toMicroseconds } from '../clock.ts'

/** A row of `notice_channels`. */
export type ChannelRow = DueRow & {
  kind: ChannelKind
  name: string | null
  target: string
  target_sealed: string
  secret_sealed: string | null
  notice_kinds: string | null
  pause_ms: number
  confirmed_at: Date | null
  wrong_codes: number
  pending: string | null
  message: string | null
  due_at: Date | null
  failing_since: Date | null
  last_error: string | null
  last_sent_at: Date | null
  off_at: Date | null
  test_wanted: number
  tested_at: Date | null
  test_ok: number | null
  test_answer: string | null
  created_at: Date
  version: number
}

/** The column values of a channel without failures. */
export const WORKS = { failing_since: null, last_error: null, tries: 0 }

/** A channel, without its secrets. */
export const toChannel = (row: ChannelRow): Channel => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  target: row.target,
  noticeKinds: row.notice_kinds === null ? null : (JSON.parse(row.notice_kinds) as NoticeKind[]),
  pauseMs: row.pause_ms,
  state: stateOf(row),
  failingSince: row.failing_since,
  lastError: row.last_error,
  lastSentAt: row.last_sent_at,
  lastTest:
    row.tested_at === null || row.test_ok === null
      ? null
      : { at: row.tested_at, isArrived: row.test_ok === 1 },
  createdAt: row.created_at,
  version: row.version,
})

/**
 * The service switches a channel off only if it fails. So if a channel without a failure is off, a user has switched it
 * off.
 */
function stateOf({ confirmed_at, off_at, failing_since }: ChannelRow): Channel['state'] {
  if (confirmed_at === null) return 'unconfirmed'
  if (off_at === null) return 'active'
  return failing_since === null ? 'paused' : 'off'
}

const ofCompany = (db: Db, companyId: string) =>
  db<ChannelRow>('notice_channels').where({ company_id: companyId })

/** The channels of the company, oldest first; at most CHANNELS_PER_COMPANY. */
export const listChannelRows = (db: Db, companyId: string): Promise<ChannelRow[]> =>
  ofCompany(db, companyId).orderBy(['created_at', 'id'])

export const findChannelRow = (db: Db, companyId: string, id: string): Promise<ChannelRow | undefined> =>
  ofCompany(db, companyId).where({ id }).first<ChannelRow | undefined>()

/** Like findChannelRow, but locks the row until the transaction ends. */
export const lockChannelRow = (trx: Db, companyId: string, id: string): Promise<ChannelRow | undefined> =>
  ofCompany(trx, companyId).where({ id }).forUpdate().first<ChannelRow | undefined>()

export async function insertChannel(trx: Db, companyId: string, row: Partial<ChannelRow>): Promise<void> {
  await trx('notice_channels').insert({ ...row, company_id: companyId })
}

/**
 * Changes columns of a channel.
 *
 * @param version if given, the channel changes only if it still has this version, so that no change by a user is overwritten
 * @returns whether it changed
 */
export async function changeChannel(
  trx: Db,
  companyId: string,
  id: string,
  columns: Readonly<Record<string, unknown>>,
  version?: number,
): Promise<boolean> {
  const own = trx('notice_channels').where({ company_id: companyId, id })
  return (await (version === undefined ? own : own.where({ version })).update(columns)) === 1
}

/** @returns how many rows it removed: 0 or 1 */
export const deleteChannel = (trx: Db, companyId: string, id: string): Promise<number> =>
  ofCompany(trx, companyId).where({ id }).delete()

/**
 * Adds new notices to what waits for the channels of their companies. The same transaction takes the notices out of the
 * state `new`. A message is due once the pause since the latest one is over. It runs at most one UPDATE for each
 * channel of these companies.
 *
 * @returns the notices that were queued or need no channel. If another transaction locks a channel of a company, all
 *   notices of that company are left out, and nothing is queued for them
 */
export async function queueForChannels(trx: SystemDb, notices: readonly Notice[]): Promise<Notice[]> {
  const companies = Map.groupBy(notices, ({ tenant }) => tenant?.companyId ?? '')
  const find = () =>
    trx<ChannelRow>('notice_channels')
      .whereIn('company_id', [...companies.keys()])
      .whereNotNull('confirmed_at')
      .whereNull('off_at')
      .orderBy('id')
      .select('id', 'company_id', 'notice_kinds', 'pending', 'pause_ms')
  const rows = await find().forUpdate().skipLocked()
  const own = new Set(rows.map(({ id }) => id))
  for (const { id, company_id: companyId } of await find()) if (!own.has(id)) companies.delete(companyId)
  for (const row of rows) {
    const kinds = row.notice_kinds === null ? undefined : (JSON.parse(row.notice_kinds) as NoticeKind[])
    const told = companies.get(row.company_id)?.filter(({ kind }) => kinds?.includes(kind) ?? true) ?? []
    if (told.length === 0) continue
    const before = row.pending === null ? null : (JSON.parse(row.pending) as PendingNotices)
    const pending = addPending(
      before,
      told.map(({ id }) => id),
    )
    // A row that already has a due time keeps it: the time of its next try, or the end of its lease.
    const due = trx.raw('COALESCE(due_at, ?)', [dueAfterPause(trx, row.pause_ms)])
    await trx('notice_channels')
      .where({ id: row.id })
      .update({ pending: JSON.stringify(pending), due_at: due })
  }
  return [...companies.values()].flat()
}

/** SQL for the end of the pause since the latest message. */
export const dueAfterPause = (db: Db, pauseMs: number) =>
  db.raw('GREATEST(NOW(3), COALESCE(last_sent_at + INTERVAL ? MICROSECOND, NOW(3)))', [
    toMicroseconds(pauseMs),
  ])

/**
 * Turns what waits for a channel into the message that is being sent.
 *
 * @returns false if something was added since the row was read
 */
export async function freezeMessage(
  db: SystemDb,
  { id, pending }: Pick<ChannelRow, 'id' | 'pending'>,
  message: string,
): Promise<boolean> {
  const changed = await db('notice_channels').where({ id, pending }).update({ message, pending: null })
  return changed === 1
}

/** SQL for the time of the next message: the end of the pause if something waits, else NULL. */
export const dueIfPending = (db: Db, due: Knex.Raw) => db.raw('IF(pending IS NULL, NULL, ?)', [due])

/**
 * SQL for the time at which a channel is due next. While a requested test waits to be sent, the due time stays as it
 * is.
 */
export const dueUnlessTested = (db: Db, due: Knex.Raw | null) =>
  db.raw('IF(test_wanted = 1, due_at, ?)', [due])
