import { CHANNEL_KINDS } from '../domain/notice/channel.ts'
import { NOTICE_KINDS } from '../domain/notice/notice.ts'
import { RECOVERY_KINDS, STOPPED_REASONS, type StoppedReason } from '../domain/recovery/recovery.ts'
import { SIGN_IN_OUTCOMES } from '../domain/user/sign-in.ts'
import type { Instruments } from './instruments.ts'

/** The metrics of recoveries, notices and sign-ins. Each label begins at 0, so that an alert on an increase sees the first one. */
export function createZeroedMetrics({ counter }: Instruments) {
  const recoveredDeliveries = counter(
    'webhook_recovered_deliveries_total',
    'Deliveries that recoveries queued through this worker: opened again, or made of missed events.',
    ['recovers'],
  )
  const ended = counter(
    'webhook_recoveries_ended_total',
    'Recoveries that this process ended, by outcome and by the reason of those that were cancelled.',
    ['outcome', 'reason'],
  )
  const labelsOf = (reason: StoppedReason | null) => ({
    outcome: reason === null ? 'done' : 'cancelled',
    reason: reason ?? 'none',
  })
  const notices = counter('notices_total', 'Notices that this worker told, by kind.', ['kind'])
  const noticeBatches = counter(
    'notice_batches_total',
    'Batches of notices that this worker sent to NOTICE_URL, by result.',
    ['result'],
  )
  const mails = counter('mails_total', 'Mails that this worker tried to send, by result.', ['result'])
  const channelMessages = counter(
    'notice_channel_messages_total',
    'Messages that this worker tried to send to channels for notices, by kind of channel and result.',
    ['kind', 'result'],
  )
  const signIns = counter('console_sign_ins_total', 'Sign-ins to the console, by what came of them.', [
    'outcome',
  ])
  for (const recovers of RECOVERY_KINDS) recoveredDeliveries.inc({ recovers }, 0)
  for (const reason of [null, ...STOPPED_REASONS]) ended.inc(labelsOf(reason), 0)
  for (const kind of NOTICE_KINDS) notices.inc({ kind }, 0)
  for (const result of ['sent', 'failed']) {
    noticeBatches.inc({ result }, 0)
    mails.inc({ result }, 0)
    for (const kind of CHANNEL_KINDS) channelMessages.inc({ kind, result }, 0)
  }
  for (const outcome of SIGN_IN_OUTCOMES) signIns.inc({ outcome }, 0)
  return {
    recoveredDeliveries,
    /** Counts a recovery that ended. Call it after the commit. @param reason why it was cancelled; null: it is done */
    countRecoveryEnd: (reason: StoppedReason | null): void => ended.inc(labelsOf(reason)),
    notices,
    noticeBatches,
    mails,
    channelMessages,
    signIns,
  }
}
