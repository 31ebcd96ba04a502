import { floorTo, HOUR_MS } from '../instants.ts'
import type { Tenant } from '../tenant.ts'
import type { DeactivatedReason } from '../webhook/webhook.ts'

/**
 * Notices about a webhook, for its owner. The leader of the reconciler makes them once a minute. Only the notice of a
 * warning or of a deactivation is written by the transaction that warns or deactivates.
 *
 * - `webhook_failing`: 20 attempts in a row failed, or no attempt succeeded for an hour. One notice for each series of
 *   failures.
 * - `webhook_disable_warning`: the endpoint has failed for half of ENDPOINT_DISABLE_AFTER.
 * - `webhook_disabled`: the endpoint has failed for so long that the service deactivated the webhook.
 * - `webhook_gone`: the endpoint answered 410, so the service deactivated the webhook.
 * - `webhook_backlog`: more than WEBHOOK_BACKLOG deliveries waited, so the service deactivated the webhook.
 * - `deliveries_failed`: deliveries failed for good. There is one notice for each hour, and the number of deliveries in
 *   it rises during the hour.
 */
const WEBHOOK_NOTICES = [
  'webhook_failing',
  'webhook_disable_warning',
  'webhook_disabled',
  'webhook_gone',
  'webhook_backlog',
  'deliveries_failed',
] as const

/** Notices about a key, for its owner. The last kind is for keys in rotation, which get no other kind. */
const KEY_NOTICES = ['key_expires_in_7_days', 'key_expires_in_1_day', 'key_grace_ends_in_1_day'] as const

/**
 * The kinds of notices that belong to a tenant. `channel_off`: a channel failed for days, so the service switched it
 * off.
 */
export const TENANT_NOTICES = [...WEBHOOK_NOTICES, ...KEY_NOTICES, 'channel_off'] as const

/** All kinds of notices. `most_endpoints_fail` is for the operator only. */
export const NOTICE_KINDS = [...TENANT_NOTICES, 'most_endpoints_fail'] as const

export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** The values in the message of a notice, in addition to its kind. */
export type NoticeFacts = {
  /** The number of deliveries; in `most_endpoints_fail` the number of companies. null for other kinds. */
  readonly total: number | null
  /** Since when attempts fail, or when the webhook will be deactivated, or the key expires: see MESSAGES. */
  readonly at: Date | null
  /** The code of the latest failed attempt, such as http_500. */
  readonly error: string | null
}

/** A notice to make, unless it exists already. */
export type NewNotice = NoticeFacts & {
  readonly kind: NoticeKind
  /** The tenant of the notice; null: it is for the operator only. */
  readonly tenant: Tenant | null
  /** The webhook, the key or the channel; '' if it is for the operator. */
  readonly targetId: string
  /** The beginning of the hour in which its cause lies. There is only one notice for each kind, target and hour. */
  readonly hour: Date
}

export type Notice = NewNotice & {
  readonly id: string
  readonly createdAt: Date
  /** The name of the webhook, the key or the channel. null if it no longer exists, or the name was not asked for. */
  readonly name: string | null
  /** Since when it is done for all users of the company; null: it is open. */
  readonly doneAt: Date | null
  /** The id of the user who marked it as done for all. */
  readonly doneBy: string | null
}

/** A user of the console who reads the notices of an environment. */
export type NoticeReader = { readonly tenant: Tenant; readonly userId: string }

/** A notice, with the marks of its reader. */
export type ReadNotice = Notice & {
  readonly isDoneForReader: boolean
  /** The name of the user in `doneBy`. null if there is none, or the name is no longer known. */
  readonly doneByName: string | null
}

/** A user may mark this many notices one by one, in both environments together. The purge and markUpTo remove marks. */
export const NOTICE_MARKS_AT_MOST = 1_000

const NO_FACTS: NoticeFacts = { total: null, at: null, error: null }

type Cause = Pick<NewNotice, 'kind' | 'tenant' | 'targetId'> & { readonly causeAt: Date }

/** The notice of a cause. @param causeAt must be the same whenever the cause is found again */
export const noticeOf = ({ causeAt, ...what }: Cause, facts: Partial<NoticeFacts> = {}): NewNotice => ({
  ...what,
  ...NO_FACTS,
  ...facts,
  hour: floorTo(causeAt, HOUR_MS),
})

/** The kind of notice for each reason of a deactivation. */
export const DEACTIVATION_NOTICES: Readonly<Record<DeactivatedReason, NoticeKind>> = {
  failing: 'webhook_disabled',
  gone: 'webhook_gone',
  backlog: 'webhook_backlog',
}

/** The webhook that a notice is about, or null. */
export const webhookOf = ({ kind, targetId }: Pick<NewNotice, 'kind' | 'targetId'>): string | null =>
  isOneOf(WEBHOOK_NOTICES, kind) ? targetId : null

/** The key that a notice is about, or null. */
export const keyOf = ({ kind, targetId }: Pick<NewNotice, 'kind' | 'targetId'>): string | null =>
  isOneOf(KEY_NOTICES, kind) ? targetId : null

const isOneOf = (kinds: readonly NoticeKind[], kind: NoticeKind): boolean => kinds.includes(kind)

type Told = Pick<NewNotice, 'hour' | keyof NoticeFacts>

const timeOf = (time: Date | null): string => time?.toISOString() ?? 'an unknown time'

const deliveries = (total: number | null): string => (total === 1 ? '1 delivery' : `${total ?? 0} deliveries`)

const resultOf = ({ error }: Told): string => (error === null ? '' : `, the latest with ${error}`)

const EXPIRES = ({ at }: Told) =>
  `The API key expires at ${timeOf(at)}. Issue another one before, or give it a later expiry.`

const ACTIVATE = 'What waits goes out when you activate it again.'

/** The sentence of each kind. It says what was true when the notice was made, and what `at` means. */
const MESSAGES: Readonly<Record<NoticeKind, (told: Told) => string>> = {
  webhook_failing: (told) =>
    `All attempts since ${timeOf(told.at)} failed${resultOf(told)}. Deliveries are tried again by their schedule.`,
  webhook_disable_warning: (told) =>
    `All attempts have failed for long${resultOf(told)}. If none succeeds, the service deactivates the webhook at ${timeOf(told.at)} or later.`,
  webhook_disabled: (told) =>
    `All attempts since ${timeOf(told.at)} failed${resultOf(told)}, so the service deactivated the webhook. ${ACTIVATE}`,
  webhook_gone: () => `The endpoint answered 410 Gone, so the service deactivated the webhook. ${ACTIVATE}`,
  webhook_backlog: ({ total }) =>
    `${deliveries(total)} waited, more than the service keeps for a webhook, so it deactivated the webhook. ${ACTIVATE}`,
  deliveries_failed: ({ total, hour }) =>
    `${deliveries(total)} failed for good in the hour from ${timeOf(hour)}: all attempts are used. You can retry them by hand.`,
  key_expires_in_7_days: EXPIRES,
  key_expires_in_1_day: EXPIRES,
  key_grace_ends_in_1_day: ({ at }) =>
    `The API key was replaced, and its grace period ends at ${timeOf(at)}. Use the replacement key from then on.`,
  channel_off: (told) =>
    `The channel took no notices for days${resultOf(told)}, so the service switched it off. A test that succeeds switches it on again.`,
  most_endpoints_fail: ({ total, at }) =>
    `The endpoints of ${total ?? 0} companies, more than half of those with attempts since ${timeOf(at)}, had no success. It is probably our own fault: look at the network, the name servers and the certificates of the workers. No webhook is deactivated for failing meanwhile.`,
}

/**
 * The text for a kind of notice that only a later release knows, if the service went back to this release. Without a
 * text, the notice's batch would wait for ever.
 */
const UNKNOWN = 'A later release of the service wrote this notice, and this one cannot tell more of it.'

/** The text of a notice, in plain English and without any secret. */
export function noticeMessage(notice: Told & Pick<NewNotice, 'kind'>): string {
  const known: Partial<typeof MESSAGES> = MESSAGES
  return known[notice.kind]?.(notice) ?? UNKNOWN
}
