import type { Key, Webhook } from '../common/api/wire.ts'
import { causeOfCode } from '../common/format/attempt-hints.ts'
import { plural } from '../common/format/numbers.ts'

/** Something that somebody should look after. */
export type Concern = {
  readonly id: string
  /** Name of the webhook or the key. */
  readonly name: string
  readonly what: string
  readonly href: string
  /** Since when it is so, or when it will happen. */
  readonly at: string | null
}

/** Webhooks that fail or that the service deactivated. */
export const webhookConcerns = (webhooks: readonly Webhook[]): readonly Concern[] =>
  webhooks.map(({ id, name, health, deactivated_reason: reason }) => {
    const cause = health.last_error === null ? '' : ` ${causeOfCode(health.last_error)?.cause ?? ''}`
    const concern = { id, name, href: `/webhooks/${id}` }
    if (reason !== null) return { ...concern, what: `The service deactivated it.${cause}`, at: null }
    const what = `${plural(health.consecutive_failures, 'attempt')} failed in a row.${cause}`
    return { ...concern, what, at: health.failing_since }
  })

/** Keys that stop working soon, in the order in which they come. */
export const keyConcerns = (keys: readonly Key[]): readonly Concern[] =>
  keys.map(({ id, name, state, expires_at }) => ({
    id,
    name,
    href: `/keys/${id}`,
    at: expires_at,
    what: state === 'in_rotation' ? 'The old key stops working.' : 'The key expires.',
  }))
