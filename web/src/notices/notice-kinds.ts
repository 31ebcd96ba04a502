import type { Notice } from '../common/api/wire.ts'
import type { Tone } from '../common/ui/tone.ts'
import { texts } from './texts.ts'

/** The name and the tone of each kind. */
export const NOTICE_KINDS: Readonly<Record<Notice['kind'], readonly [tone: Tone, name: string]>> = {
  webhook_failing: ['bad', texts.webhookFails],
  webhook_disable_warning: ['warning', texts.deactivationAhead],
  webhook_disabled: ['bad', texts.deactivatedFailing],
  webhook_gone: ['bad', texts.deactivatedGone],
  webhook_backlog: ['bad', texts.deactivatedBacklog],
  deliveries_failed: ['bad', texts.deliveriesFailed],
  key_expires_in_7_days: ['warning', texts.keyExpiresInWeek],
  key_expires_in_1_day: ['bad', texts.keyExpiresTomorrow],
  channel_off: ['bad', texts.channelOff],
  key_grace_ends_in_1_day: ['warning', texts.graceEndsTomorrow],
}

/** The kinds as choices of a filter. */
export const KIND_CHOICES = [
  { value: '', label: texts.allKinds },
  ...Object.entries(NOTICE_KINDS).map(([value, [, label]]) => ({ value, label })),
]

/** The page where the user can look into a notice. */
export function placeOf({ kind, webhook_id, key_id }: Notice): string {
  if (key_id !== null) return `/keys/${key_id}`
  if (webhook_id === null) return '/channels'
  return kind === 'deliveries_failed' ? `/webhooks/${webhook_id}?status=failed` : `/webhooks/${webhook_id}`
}
