import { presentNamedKey } from './console.ts'
import { presentWebhook, withHiddenValues } from './webhooks.ts'

/** The state of an environment, and what needs attention. */
export const presentAttention = (attention: {
  readonly webhooks: number
  readonly unwell: number
  readonly waiting: number
  readonly openNotices: number
  readonly unwellWebhooks: readonly Parameters<typeof presentWebhook>[0][]
  readonly expiringKeys: readonly Parameters<typeof presentNamedKey>[0][]
}) => ({
  webhooks: attention.webhooks,
  unwell: attention.unwell,
  waiting: attention.waiting,
  open_notices: attention.openNotices,
  unwell_webhooks: attention.unwellWebhooks.map((webhook) => presentWebhook(withHiddenValues(webhook))),
  expiring_keys: attention.expiringKeys.map(presentNamedKey),
})

/** A webhook by its name, with its event types. */
export const presentWebhookName = (webhook: {
  readonly id: string
  readonly name: string
  readonly events: readonly string[]
}) => ({ id: webhook.id, name: webhook.name, events: webhook.events })
