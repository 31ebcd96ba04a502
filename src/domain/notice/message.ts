import type { NewNotice, NoticeFacts, NoticeKind } from './notice.ts'

type Told = Pick<NewNotice, 'hour' | keyof NoticeFacts>

const timeOf = (time: Date | null): string => time?.toISOString() ?? 'an unknown time'

const deliveries = (total: number | null): string => (total === 1 ? '1 delivery' : `${total ?? 0} deliveries`)

const resultOf = ({ error }: Told): string => (error === null ? '' : `, the latest with ${error}`)

const EXPIRES = ({ at }: Told) =>
  `The API key expires at ${timeOf(at)}. Issue another one before, or give it a later expiry.`

const ACTIVATE = 'What waits goes out when you activate it again.'

/** The sentence of each kind. It says what is true when the notice is made, and what `at` means. */
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

/** Of a kind that a later release wrote, before a step back to this one: its batch must not wait for ever. */
const UNKNOWN = 'A later release of the service wrote this notice, and this one cannot tell more of it.'

/** What a notice says, in plain English and without any secret. */
export function noticeMessage(notice: Told & Pick<NewNotice, 'kind'>): string {
  const known: Partial<typeof MESSAGES> = MESSAGES
  return known[notice.kind]?.(notice) ?? UNKNOWN
}
