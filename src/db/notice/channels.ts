import type { Channel, ChannelKind } from '../../domain/notice/channel.ts'
import type { NoticeKind } from '../../domain/notice/notice.ts'
import type { Db } from '../connection/connection.ts'
import type { DueRow } from '../due-rows.ts'

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

/** A channel without any secret. */
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

/** What the service switches off has failed; what people switch off has no failure. */
function stateOf({ confirmed_at, off_at, failing_since }: ChannelRow): Channel['state'] {
  if (confirmed_at === null) return 'unconfirmed'
  if (off_at === null) return 'active'
  return failing_since === null ? 'paused' : 'off'
}

const ofCompany = (db: Db, companyId: string) =>
  db<ChannelRow>('notice_channels').where({ company_id: companyId })

/** The channels of the company, oldest first: CHANNELS_PER_COMPANY at most. */
export const listChannelRows = (db: Db, companyId: string): Promise<ChannelRow[]> =>
  ofCompany(db, companyId).orderBy(['created_at', 'id'])

export const findChannelRow = (db: Db, companyId: string, id: string): Promise<ChannelRow | undefined> =>
  ofCompany(db, companyId).where({ id }).first<ChannelRow | undefined>()

/** The same, locked. */
export const lockChannelRow = (trx: Db, companyId: string, id: string): Promise<ChannelRow | undefined> =>
  ofCompany(trx, companyId).where({ id }).forUpdate().first<ChannelRow | undefined>()

export async function insertChannel(trx: Db, companyId: string, row: Partial<ChannelRow>): Promise<void> {
  await trx('notice_channels').insert({ ...row, company_id: companyId })
}

/**
 * Changes columns of a channel.
 *
 * @param version only if people have not changed it since it had this one
 * @returns whether it did
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

/** @returns how many it removed: 0 or 1 */
export const deleteChannel = (trx: Db, companyId: string, id: string): Promise<number> =>
  ofCompany(trx, companyId).where({ id }).delete()
