import type { Key } from './keys.ts'
import type { Webhook } from './webhooks.ts'

/** How an environment does, and what needs somebody. The lists name 100 at most. */
export type Attention = {
  readonly webhooks: number
  readonly unwell: number
  readonly waiting: number
  readonly unwell_webhooks: readonly Webhook[]
  readonly expiring_keys: readonly Key[]
}
