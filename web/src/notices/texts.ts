import type { ReactNode } from 'react'
import type { Notice } from '../common/api/wire.ts'
import { plural } from '../common/format/numbers.ts'
import { sentence } from '../common/ui/sentence.ts'

/** The parts of a sentence. `cause` is empty or begins with a colon. */
type Told = {
  readonly name: ReactNode
  readonly at: ReactNode
  /** ` at 08:03`, or empty if the time is unknown. */
  readonly atTime: ReactNode
  readonly cause: string
  readonly count: number
}

const expires = ({ name, at }: Told) => sentence`${name} expires: ${at}`

const sentences: Readonly<Record<Notice['kind'], (told: Told) => ReactNode>> = {
  webhook_failing: ({ name, atTime, cause }) => sentence`${name} began to fail${atTime}${cause}`,
  webhook_disable_warning: ({ name, at, cause }) =>
    sentence`${name} keeps failing and will be deactivated at ${at} or later${cause}`,
  webhook_disabled: ({ name, atTime, cause }) =>
    sentence`${name} was deactivated: it began to fail${atTime}${cause}`,
  webhook_gone: ({ name }) => sentence`${name} answered 410 Gone and was deactivated`,
  webhook_backlog: ({ name, count }) =>
    sentence`${name} was deactivated: ${plural(count, 'delivery', 'deliveries')} waited for it`,
  deliveries_failed: ({ name, count }) =>
    sentence`${plural(count, 'delivery', 'deliveries')} of ${name} failed for good`,
  key_expires_in_7_days: expires,
  key_expires_in_1_day: expires,
  key_grace_ends_in_1_day: ({ name, at }) => sentence`${name} was replaced and works until ${at}`,
  channel_off: ({ name, cause }) => sentence`${name} took no messages for days and was switched off${cause}`,
}

export const texts = {
  // notice-kinds.ts
  webhookFails: 'webhook began to fail',
  deactivationAhead: 'webhook will be deactivated',
  deactivatedFailing: 'webhook deactivated: it failed',
  deactivatedGone: 'webhook deactivated: 410',
  deactivatedBacklog: 'webhook deactivated: backlog',
  deliveriesFailed: 'deliveries failed',
  keyExpiresInWeek: 'key expires in 7 days',
  keyExpiresTomorrow: 'key expires in 1 day',
  graceEndsTomorrow: 'grace period ends in 1 day',
  channelOff: 'channel switched off',
  allKinds: 'All kinds',

  // notice-sentence.tsx
  sentences,
  gone: '(deleted)',
  unknownTime: 'an unknown time',
  atTime: ({ time }: { time: ReactNode }) => sentence` at ${time}`,
  cause: ({ cause }: { cause: string }) => `: ${cause}`,

  // notice-rows.tsx
  notices: 'Notices',
  message: 'Notice',
  when: 'When',

  // notice-done.tsx
  done: 'Done',
  doneForAll: 'Done for all',
  doneByYou: 'Done by you',
  doneForAllBy: ({ by, when }: { by: ReactNode; when: ReactNode }) =>
    sentence`Done for all by ${by}, ${when}`,
  formerUser: 'somebody who left',
  reopen: 'Reopen',
  reopenForAll: 'Reopen for all',
  buttonOf: ({ name, what }: { name: string; what: string }) => `${name}: ${what}`,

  // use-marks.ts
  marked: {
    me: { done: 'Done for you.', open: 'Open again for you.' },
    all: { done: 'Done for all users.', open: 'Open again for all users.' },
  },

  // notices.tsx
  markAll: 'Mark all as done',
  state: 'State',
  open: 'Open',
  all: 'All',
  kind: 'Kind',
  nothingNeedsYou: 'Nothing needs you',
  empty: 'Webhooks that fail, deliveries that failed for good and keys that expire appear here.',
}
