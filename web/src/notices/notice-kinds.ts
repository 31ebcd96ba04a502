import type { Notice } from '../common/api/wire.ts'
import type { Tone } from '../common/ui/tone.ts'

/** What each kind is called, and how bad it is. */
export const NOTICE_KINDS: Readonly<Record<Notice['kind'], readonly [tone: Tone, name: string]>> = {
  webhook_failing: ['bad', 'webhook fails'],
  webhook_disable_warning: ['warning', 'webhook will be deactivated'],
  webhook_disabled: ['bad', 'webhook deactivated: it failed'],
  webhook_gone: ['bad', 'webhook deactivated: 410'],
  webhook_backlog: ['bad', 'webhook deactivated: backlog'],
  deliveries_failed: ['bad', 'deliveries failed'],
  key_expires_in_7_days: ['warning', 'key expires in 7 days'],
  key_expires_in_1_day: ['bad', 'key expires in 1 day'],
  channel_off: ['bad', 'channel switched off'],
  key_grace_ends_in_1_day: ['warning', 'grace period ends in 1 day'],
}

/** The kinds as a filter offers them. */
export const KIND_CHOICES = [
  { value: '', label: 'All kinds' },
  ...Object.entries(NOTICE_KINDS).map(([value, [, label]]) => ({ value, label })),
]

/** Where one looks after it, and what the link is called. */
export function placeOf({ kind, webhook_id, key_id }: Notice): readonly [href: string, name: string] {
  if (key_id !== null) return [`/keys/${key_id}`, 'Look at the key']
  if (webhook_id === null) return ['/notices', 'Look at the notices']
  const webhook = `/webhooks/${webhook_id}`
  return kind === 'deliveries_failed'
    ? [`${webhook}?status=failed`, 'Look at the deliveries']
    : [webhook, 'Look at the webhook']
}
