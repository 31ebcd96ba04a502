import { floorTo, HOUR_MS } from '../instants.ts'
import type { Tenant } from '../tenant.ts'
import type { DeactivatedReason } from '../webhook/webhook.ts'

/**
 * What an owner should know of a webhook. The leader of the reconciler makes them once a minute. The warning and every
 * deactivation of a webhook write theirs in the same transaction.
 *
 * - `webhook_failing`: 20 attempts in a row failed, or no attempt succeeded for an hour. One for each time that it fails.
 * - `webhook_disable_warning`: it has failed for half of ENDPOINT_DISABLE_AFTER.
 * - `webhook_disabled`: it has failed for so long that the service deactivated it.
 * - `webhook_gone`: the endpoint answered 410, so the service deactivated it.
 * - `webhook_backlog`: more than WEBHOOK_BACKLOG deliveries waited, so the service deactivated it.
 * - `deliveries_failed`: deliveries failed for good. One for each hour; its number rises while the hour runs.
 */
const WEBHOOK_NOTICES = [
  'webhook_failing',
  'webhook_disable_warning',
  'webhook_disabled',
  'webhook_gone',
  'webhook_backlog',
  'deliveries_failed',
] as const

/** What an owner should know of a key. A key in rotation only gets the last one. */
const KEY_NOTICES = ['key_expires_in_7_days', 'key_expires_in_1_day', 'key_grace_ends_in_1_day'] as const

/** What an owner should know of a channel: it failed for days, so the service switched it off. */
const CHANNEL_NOTICES = ['channel_off'] as const

/** What only the operator may know. */
const OPERATOR_NOTICES = ['most_endpoints_fail'] as const

/** Notices that belong to a tenant. */
export const TENANT_NOTICES = [...WEBHOOK_NOTICES, ...KEY_NOTICES, ...CHANNEL_NOTICES] as const

export const NOTICE_KINDS = [...TENANT_NOTICES, ...OPERATOR_NOTICES] as const

export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** What the message of a notice says besides its kind. */
export type NoticeFacts = {
  /** How many deliveries it is about; companies in `most_endpoints_fail`. Null where it is about none. */
  readonly total: number | null
  /** Since when it fails, or when it will be deactivated or expire: see noticeMessage. */
  readonly at: Date | null
  /** The code of the latest failed attempt, such as http_500. */
  readonly error: string | null
}

/** A notice that may have been made before. */
export type NewNotice = NoticeFacts & {
  readonly kind: NoticeKind
  /** Whose it is; null: it is for the operator alone. */
  readonly tenant: Tenant | null
  /** The webhook, the key or the channel; '' when it is for the operator. */
  readonly targetId: string
  /** The beginning of the hour of its cause. There is one notice for each kind, target and hour. */
  readonly hour: Date
}

export type Notice = NewNotice & {
  readonly id: string
  readonly createdAt: Date
  /** What the webhook, the key or the channel is called; null when it is gone, or was not asked for. */
  readonly name: string | null
  /** Since when it is done for all users of the company; null: it is not. */
  readonly doneAt: Date | null
  /** The user who said so. */
  readonly doneBy: string | null
}

/** A user of the console who reads the notices of an environment. */
export type NoticeReader = { readonly tenant: Tenant; readonly userId: string }

/** A notice as its reader has it. */
export type ReadNotice = Notice & {
  readonly isDoneForReader: boolean
  /** What the user is called who is done with it for all; null where there is none, or it is no longer known. */
  readonly doneByName: string | null
}

/** Single notices that a user may have marked, in both environments together. Retention and markUpTo remove marks. */
export const NOTICE_MARKS_AT_MOST = 1_000

const NO_FACTS: NoticeFacts = { total: null, at: null, error: null }

type Cause = Pick<NewNotice, 'kind' | 'tenant' | 'targetId'> & { readonly causeAt: Date }

/** The notice of a cause. @param causeAt the same whenever the cause is found again */
export const noticeOf = ({ causeAt, ...what }: Cause, facts: Partial<NoticeFacts> = {}): NewNotice => ({
  ...what,
  ...NO_FACTS,
  ...facts,
  hour: floorTo(causeAt, HOUR_MS),
})

/** The notice of a deactivation, by its reason. */
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
