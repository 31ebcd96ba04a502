import type { Channel } from '../domain/notice/channel.ts'

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
