import { randomInt } from 'node:crypto'
import type { Doubling } from '../doubling.ts'
import { DAY_MS } from '../instants.ts'
import { maskedEmail, type Mail } from '../mail/mail.ts'
import type { NoticeKind } from './notice.ts'

/**
 * Where a company is told of its notices.
 *
 * - `email`: a mail address. Nothing goes to it until somebody who reads its mail has given the code that was mailed to it.
 * - `slack`: an incoming webhook of Slack, or of another service that takes the same JSON.
 * - `https`: an endpoint that gets the notices as JSON, signed by Standard Webhooks with a secret of the channel's own.
 */
export const CHANNEL_KINDS = ['email', 'slack', 'https'] as const
export type ChannelKind = (typeof CHANNEL_KINDS)[number]

/**
 * `unconfirmed`: waits for its code. `off`: it failed for OFF_AFTER_MS; a test that succeeds switches it on again. `paused`: somebody
 * switched it off, and no test ends that.
 */
export const CHANNEL_STATES = ['unconfirmed', 'active', 'off', 'paused'] as const
type ChannelState = (typeof CHANNEL_STATES)[number]

export type Channel = {
  readonly id: string
  readonly kind: ChannelKind
  /** What people call it; null: the target stands for it. */
  readonly name: string | null
  /** The target, masked: see maskTarget. */
  readonly target: string
  /** The kinds of notices it is told; null: all. */
  readonly noticeKinds: readonly NoticeKind[] | null
  readonly pauseMs: number
  readonly state: ChannelState
  readonly failingSince: Date | null
  readonly lastError: string | null
  readonly lastSentAt: Date | null
  /** The latest test of this target. */
  readonly lastTest: { readonly at: Date; readonly isArrived: boolean } | null
  readonly createdAt: Date
  /** Grows with each change by people. */
  readonly version: number
}

export const CHANNELS_PER_COMPANY = 10
/** The limits of a channel's pause, which is the shortest time between two messages. Notices made meanwhile come as one message. */
export const CHANNEL_PAUSE = { shortest: '1m', longest: '1d' } as const
export const DEFAULT_CHANNEL_PAUSE_MS = 300_000
/** Between two tries of a message. */
export const CHANNEL_BACKOFF_MS: Doubling = { first: 60_000, longest: 3_600_000 }
/** A channel that fails for this long is switched off. */
export const OFF_AFTER_MS = 3 * DAY_MS
/** After this many wrong codes a channel has to be removed and added again. */
export const CODE_TRIES = 5
/** Notices that one message lists. It says how many more there are. */
const LISTED_NOTICES = 20

/** Notices that wait to be sent: the ids of the first LISTED_NOTICES, and how many more there are. */
export type PendingNotices = { readonly ids: readonly string[]; readonly more: number }

/** Adds notices to those that wait. */
export function addPending(pending: PendingNotices | null, ids: readonly string[]): PendingNotices {
  const all = [...(pending?.ids ?? []), ...ids]
  return {
    ids: all.slice(0, LISTED_NOTICES),
    more: (pending?.more ?? 0) + Math.max(0, all.length - LISTED_NOTICES),
  }
}

/** What may be shown of a target: of a mail address its first letter and its host, of a URL its host alone. */
export function maskTarget(kind: ChannelKind, target: string): string {
  if (kind === 'email') return maskedEmail(target)
  return `https://${new URL(target).host}/…`
}

/** A code of eight digits, to be mailed to an address that it confirms. */
export const newChannelCode = (): string => String(randomInt(100_000_000)).padStart(8, '0')

/** A notice as a message carries it. */
type ToldNotice = {
  readonly kind: NoticeKind
  readonly name: string | null
  readonly webhook_id: string | null
  readonly key_id: string | null
  readonly environment: string | null
  readonly message: string
}

/** The message of a channel, as an `https` channel gets it. `more`: how many notices it does not list. */
export type ChannelMessage = {
  readonly id: string
  readonly event: 'notices' | 'notices.test'
  readonly created_at: string
  readonly data: readonly ToldNotice[]
  readonly more: number
}

const TEST_TEXT = 'This is a test of the channel. Notices will come here.'

/** One line for each notice, that names its webhook or key. */
function linesOf({ event, data, more }: ChannelMessage): string[] {
  if (event === 'notices.test') return [TEST_TEXT]
  const lines = data.map(({ name, webhook_id, key_id, environment, message }) => {
    const what = name ?? webhook_id ?? key_id
    const where = environment === 'test' ? ' (test)' : ''
    return what === null ? message : `${what}${where}: ${message}`
  })
  return more > 0 ? [...lines, `And ${more} more. The list of notices has them all.`] : lines
}

/** Longest subject that a mail gets, in characters. */
const SUBJECT_LENGTH = 120

/** The message as a mail, without its address. */
export function messageMail(message: ChannelMessage): Omit<Mail, 'to'> {
  const lines = linesOf(message)
  const count = message.data.length + message.more
  const first = (lines[0] ?? '').slice(0, SUBJECT_LENGTH)
  const subject = count > 1 ? `${count} notices of your webhooks and keys` : first
  return { subject: subject.replaceAll(/\s+/g, ' '), text: `${lines.join('\n\n')}\n` }
}

/** The message in the JSON of Slack's incoming webhooks, with `&`, `<` and `>` escaped, which are Slack's markup. */
export function messageSlack(message: ChannelMessage): { readonly text: string } {
  const text = linesOf(message).join('\n')
  return { text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') }
}
