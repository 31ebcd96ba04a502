import type { Attention, Key, Webhook } from '../common/api/wire.ts'
import { causeOfCode } from '../common/format/attempt-hints.ts'
import type { Tone } from '../common/ui/tone.ts'
import { texts } from './texts.ts'

/** Something that needs attention. */
export type Concern = {
  readonly id: string
  /** The name of the webhook or the key. */
  readonly name: string
  /** The state in a word. */
  readonly state: string
  readonly tone: Tone
  readonly what: string
  readonly href: string
  /** Since when it lasts, or when it will happen. */
  readonly at: string | null
  readonly isPast: boolean
  /** The webhook that an action here can help. Absent for a key. */
  readonly webhook?: Webhook
}

/** The state of the environment as a sentence, and its tone. undefined without webhooks. */
export function headline({ webhooks, unwell, expiring_keys }: Attention): { says?: string; tone?: Tone } {
  if (unwell > 0) return { says: texts.unwell({ unwell, webhooks }), tone: 'bad' }
  if (expiring_keys.length > 0)
    return { says: texts.keysEnd({ keys: expiring_keys.length }), tone: 'warning' }
  return webhooks === 0 ? {} : { says: texts.allWell, tone: 'good' }
}

/** Webhooks that fail, or that the service deactivated. */
export const webhookConcerns = (webhooks: readonly Webhook[]): readonly Concern[] =>
  webhooks.map((webhook) => {
    const { id, name, health, deactivated_reason: reason } = webhook
    const cause = health.last_error === null ? '' : (causeOfCode(health.last_error)?.cause ?? '')
    const concern = { id, name, href: `/webhooks/${id}`, tone: 'bad', isPast: true, webhook } as const
    if (reason !== null)
      return { ...concern, state: texts.isInactive, what: texts.deactivated({ cause }), at: null }
    const what = texts.failedInARow({ attempts: health.consecutive_failures, cause })
    return { ...concern, state: texts.isFailing, what, at: health.failing_since }
  })

/** Keys that stop working soon, the soonest first. */
export const keyConcerns = (keys: readonly Key[]): readonly Concern[] =>
  keys.map(({ id, name, state, expires_at }) => ({
    id,
    name,
    href: `/keys/${id}`,
    at: expires_at,
    isPast: false,
    tone: 'warning',
    ...(state === 'in_rotation'
      ? { state: texts.inRotation, what: texts.oldKeyStops }
      : { state: texts.isExpiring, what: texts.theKeyExpires }),
  }))
