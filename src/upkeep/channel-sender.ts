import { fromNow } from '../db/clock.ts'
import { inTransaction } from '../db/connection/connection.ts'
import { claimDue } from '../db/due-rows.ts'
import {
  changeChannel,
  dueIfPending,
  dueUnlessTested,
  freezeMessage,
  WORKS,
  type ChannelRow,
} from '../db/notice/channels.ts'
import { insertNotices } from '../db/notice/new-notices.ts'
import { findNotices } from '../db/notice/notices.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { doublingPause } from '../domain/doubling.ts'
import { newId } from '../domain/ids.ts'
import {
  CHANNEL_BACKOFF_MS,
  OFF_AFTER_MS,
  type PendingNotices,
  type ChannelMessage,
} from '../domain/notice/channel.ts'
import { noticeOf } from '../domain/notice/notice.ts'
import { ENVIRONMENTS } from '../domain/tenant.ts'
import { presentNoticeBatch } from '../presenters/notices.ts'
import { sendToChannel, type ChannelParts, type ChannelResult } from './channel-send.ts'
import { DueSends } from './due-sends.ts'

/**
 * Sends the messages that wait for the channels of companies (db/notice/channels.ts). A message is stored before its first try,
 * so each repeat has the same id and the same notices. Later notices go into the next message. A channel that fails for
 * OFF_AFTER_MS is switched off, and the company gets a notice. The unsent notices stay in the list of notices.
 */
export function createChannels(deps: SystemDeps, parts: ChannelParts): DueSends<ChannelRow> {
  const { db, log, metrics } = deps
  /**
   * Changes the channel, unless a user changed it after the claim. The result of the message then says nothing about
   * the changed channel.
   */
  const change = (row: ChannelRow, columns: Record<string, unknown>, trx = db): Promise<boolean> =>
    changeChannel(trx, row.company_id, row.id, columns, row.version)
  return new DueSends(log, { claim: (wanted) => claimDue<ChannelRow>(db, 'notice_channels', wanted), send })

  async function send(row: ChannelRow): Promise<void> {
    const isTest = row.test_wanted === 1
    const message = isTest ? testMessage(deps.clock()) : await messageOf(row)
    if (message === undefined) return
    const result = await sendToChannel(deps, parts, row, message)
    metrics.channelMessages.inc({ kind: row.kind, result: result.isSent ? 'sent' : 'failed' })
    const facts = { channel_id: row.id, company_id: row.company_id, kind: row.kind }
    if (result.isSent) log.info(facts, 'notices sent to a channel')
    else log.warn({ ...facts, error: result.code, tries: row.tries }, 'a channel did not take the notices')
    await (isTest ? recordTest(row, result) : record(row, result))
  }

  /**
   * Returns the stored message, or a new message with the waiting notices. Undefined: no notice waits, or more notices
   * came just now.
   */
  async function messageOf(row: ChannelRow): Promise<ChannelMessage | undefined> {
    if (row.message !== null) return JSON.parse(row.message) as ChannelMessage
    const pending = row.pending === null ? undefined : (JSON.parse(row.pending) as PendingNotices)
    const message = pending && (await makeMessage(row.company_id, pending))
    if (message && (await freezeMessage(db, row, JSON.stringify(message)))) return message
    await change(row, { due_at: dueUnlessTested(db, dueIfPending(db, db.raw('NOW(3)'))), tries: 0 })
    return undefined
  }

  async function makeMessage(companyId: string, { ids, more }: PendingNotices) {
    const tenants = ENVIRONMENTS.map((environment) => ({ companyId, environment }))
    const notices = await findNotices(db, tenants, ids)
    // This sorts by time, because an id begins with its time.
    const sorted = notices.sort((a, b) => (a.id < b.id ? -1 : 1))
    const batch = presentNoticeBatch(newId('noticeBatch'), deps.clock(), sorted)
    return { ...batch, event: 'notices' as const, more }
  }

  async function record(row: ChannelRow, result: ChannelResult): Promise<unknown> {
    if (result.isSent) {
      const due = dueUnlessTested(db, dueIfPending(db, fromNow(db, row.pause_ms)))
      return change(row, { ...WORKS, message: null, last_sent_at: db.raw('NOW(3)'), due_at: due })
    }
    const since = row.failing_since ?? deps.clock()
    if (deps.clock().getTime() - since.getTime() > OFF_AFTER_MS) return switchOff(row, result)
    const afterMs = doublingPause(CHANNEL_BACKOFF_MS, row.tries - 1)
    const due = dueUnlessTested(db, fromNow(db, afterMs))
    return change(row, { failing_since: since, last_error: result.answer, due_at: due })
  }

  async function switchOff(row: ChannelRow, { answer, code }: ChannelResult): Promise<void> {
    const now = deps.clock()
    const due = dueUnlessTested(db, null)
    const off = { off_at: now, message: null, pending: null, due_at: due, tries: 0, last_error: answer }
    const tenant = { companyId: row.company_id, environment: 'live' } as const
    const notice = noticeOf({ kind: 'channel_off', tenant, targetId: row.id, causeAt: now }, { error: code })
    await inTransaction(db, async (trx) => {
      if (await change(row, off, trx)) await insertNotices(trx, [notice])
    })
  }

  /**
   * Records the result of a test. A successful test shows that the channel works again. If the channel was changed
   * since the claim, only the result is recorded, because a user waits for it.
   */
  async function recordTest(row: ChannelRow, { isSent, answer }: ChannelResult): Promise<void> {
    const soon = fromNow(db, CHANNEL_BACKOFF_MS.first)
    const next = db.raw('IF(message IS NULL AND pending IS NULL, NULL, ?)', [soon])
    const verdict = { test_ok: isSent ? 1 : 0, test_answer: answer }
    const tested = { ...verdict, test_wanted: 0, tested_at: db.raw('NOW(3)') }
    const works = isSent
      ? { ...WORKS, ...(row.failing_since !== null && { off_at: null }) }
      : { tries: row.tries - 1 }
    const isChanged = await change(row, { ...tested, ...works, due_at: next })
    if (!isChanged) await changeChannel(db, row.company_id, row.id, tested)
  }
}

const testMessage = (now: Date): ChannelMessage => ({
  id: newId('noticeBatch'),
  event: 'notices.test',
  created_at: now.toISOString(),
  data: [],
  more: 0,
})
