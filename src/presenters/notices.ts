import { noticeMessage, keyOf, webhookOf, type Notice, type ReadNotice } from '../domain/notice/notice.ts'
import type { Channel } from '../domain/notice/channel.ts'

/** A notice, as its tenant sees it. */
export const presentNotice = (notice: Notice) => ({
  id: notice.id,
  kind: notice.kind,
  webhook_id: webhookOf(notice),
  key_id: keyOf(notice),
  name: notice.name,
  message: noticeMessage(notice),
  at: notice.at?.toISOString() ?? null,
  error: notice.error,
  count: notice.total,
  created_at: notice.createdAt.toISOString(),
  done_at: notice.doneAt?.toISOString() ?? null,
  done_by: notice.doneBy,
})

/** A notice for a user of the console. */
export const presentReadNotice = (notice: ReadNotice) => ({
  ...presentNotice(notice),
  done_by_name: notice.doneByName,
  done_for_me: notice.isDoneForReader,
})

/** A notice for the operator, with its company and environment. */
export const presentOwnedNotice = (notice: Notice) => ({
  ...presentNotice(notice),
  company_id: notice.tenant?.companyId ?? null,
  environment: notice.tenant?.environment ?? null,
})

/** The body for NOTICE_URL, in the envelope of events. */
export const presentNoticeBatch = (id: string, createdAt: Date, notices: readonly Notice[]) => ({
  id,
  event: 'notices',
  created_at: createdAt.toISOString(),
  data: notices.map(presentOwnedNotice),
})

/** A channel with its target masked. */
export const presentChannel = (channel: Channel) => ({
  id: channel.id,
  kind: channel.kind,
  name: channel.name,
  target: channel.target,
  state: channel.state,
  notice_kinds: channel.noticeKinds,
  pause_seconds: channel.pauseMs / 1000,
  failing_since: channel.failingSince?.toISOString() ?? null,
  last_error: channel.lastError,
  last_sent_at: channel.lastSentAt?.toISOString() ?? null,
  last_test_at: channel.lastTest?.at.toISOString() ?? null,
  last_test_arrived: channel.lastTest?.isArrived ?? null,
  created_at: channel.createdAt.toISOString(),
  version: channel.version,
})
