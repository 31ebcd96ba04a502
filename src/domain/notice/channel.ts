import { randomInt } from 'node:crypto'
import type { Doubling } from '../doubling.ts'
import { DAY_MS } from '../instants.ts'
import { maskedEmail, type Mail } from '../mail/mail.ts'
import type { NoticeKind } from './notice.ts'

/**
 * The kinds of channels through which a company is told of its notices.
 *
 * - `email`: a mail address. Nothing is sent to it until a user has entered the code that was mailed to it.
 * - `slack`: an incoming webhook of Slack, or of another service that accepts the same JSON.
 * - `https`: an endpoint that gets the notices as JSON, signed by Standard Webhooks with the channel's own secret.
 */
export const CHANNEL_KINDS = ['email', 'slack', 'https'] as const
export type ChannelKind = (typeof CHANNEL_KINDS)[number]

/**
 * `unconfirmed`: its code was not entered yet. `off`: it failed for OFF_AFTER_MS; a successful test switches it on again.
 * `paused`: a user switched it off, and a test does not change that.
 */
export const CHANNEL_STATES = ['unconfirmed', 'active', 'off', 'paused'] as const
type ChannelState = (typeof CHANNEL_STATES)[number]

export type Channel = {
  readonly id: string
  readonly kind: ChannelKind
  /** The name of the channel. null: the target is shown instead. */
  readonly name: string | null
  /** The target, masked: see maskTarget. */
  readonly target: string
  /** The kinds of notices that it gets; null: all kinds. */
  readonly noticeKinds: readonly NoticeKind[] | null
  readonly pauseMs: number
  readonly state: ChannelState
  readonly failingSince: Date | null
  readonly lastError: string | null
  readonly lastSentAt: Date | null
  /** The latest test of the present target. */
  readonly lastTest: { readonly at: Date; readonly isArrived: boolean } | null
  readonly createdAt: Date
  /** Grows with each change by a user. */
  readonly version: number
}

export const CHANNELS_PER_COMPANY = 10
/**
 * The limits of a channel's pause. A pause is the shortest time between two messages. All notices that arrive during a
 * pause go into one message.
 */
export const CHANNEL_PAUSE = { shortest: '1m', longest: '1d' } as const
export const DEFAULT_CHANNEL_PAUSE_MS = 300_000
/** The pause before a message is tried again. */
export const CHANNEL_BACKOFF_MS: Doubling = { first: 60_000, longest: 3_600_000 }
/** After failing for this long, in milliseconds, a channel is switched off. */
export const OFF_AFTER_MS = 3 * DAY_MS
/** After this many wrong codes a channel must be removed and added again. */
export const CODE_TRIES = 5
/** One message lists at most this many notices. It says how many more there are. */
const LISTED_NOTICES = 20

/** The notices that wait to be sent: the ids of the first LISTED_NOTICES, and the number of the others. */
export type PendingNotices = { readonly ids: readonly string[]; readonly more: number }

/** Adds notices to the waiting ones. */
export function addPending(pending: PendingNotices | null, ids: readonly string[]): PendingNotices {
  const all = [...(pending?.ids ?? []), ...ids]
  return {
    ids: all.slice(0, LISTED_NOTICES),
    more: (pending?.more ?? 0) + Math.max(0, all.length - LISTED_NOTICES),
  }
}

/** The part of a target that may be shown: the first letter and the host of a mail address, or the host of a URL. */
export function maskTarget(kind: ChannelKind, target: string): string {
  if (kind === 'email') return maskedEmail(target)
  return `https://${new URL(target).host}/…`
}

/** A code of eight digits. It is mailed to an address and confirms it. */
export const newChannelCode = (): string => String(randomInt(100_000_000)).padStart(8, '0')

/** A notice in a message. */
type ToldNotice = {
  readonly kind: NoticeKind
  readonly name: string | null
  readonly webhook_id: string | null
  readonly key_id: string | null
  readonly environment: string | null
  readonly message: string
}

/** The message of a channel, in the form for `https` channels. `more`: how many notices it does not list. */
export type ChannelMessage = {
  readonly id: string
  readonly event: 'notices' | 'notices.test'
  readonly created_at: string
  readonly data: readonly ToldNotice[]
  readonly more: number
}

const TEST_TEXT = 'This is a test of the channel. Notices will come here.'

/** One line for each notice, with the name of its webhook or key. */
function linesOf({ event, data, more }: ChannelMessage): string[] {
  if (event === 'notices.test') return [TEST_TEXT]
  const lines = data.map(({ name, webhook_id, key_id, environment, message }) => {
    const what = name ?? webhook_id ?? key_id
    const where = environment === 'test' ? ' (test)' : ''
    return what === null ? message : `${what}${where}: ${message}`
  })
  return more > 0 ? [...lines, `And ${more} more. The list of notices has them all.`] : lines
}

/** The longest subject of a mail, in characters. */
const SUBJECT_LENGTH = 120

/** The message as a mail, without its address. */
export function messageMail(message: ChannelMessage): Omit<Mail, 'to'> {
  const lines = linesOf(message)
  const count = message.data.length + message.more
  const first = (lines[0] ?? '').slice(0, SUBJECT_LENGTH)
  const subject = count > 1 ? `${count} notices of your webhooks and keys` : first
  return { subject: subject.replaceAll(/\s+/g, ' '), text: `${lines.join('\n\n')}\n` }
}

/** The message as JSON for Slack's incoming webhooks. `&`, `<` and `>` are escaped, because they have a meaning for Slack. */
export function messageSlack(message: ChannelMessage): { readonly text: string } {
  const text = linesOf(message).join('\n')
  return { text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') }
}
