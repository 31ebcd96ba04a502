import type { Delivery, EventDetail, EventReach, WebhookName } from '../common/api/wire.ts'
import { isObject } from '../common/format/is-object.ts'
import { texts } from './texts.ts'

/** What an event did at one webhook. */
export type WebhookRow = {
  readonly webhookId: string
  readonly name: string
  readonly reason: EventReach['reason']
  /** Its first delivery of the event; null: it has none. */
  readonly firstId: string | null
  /** Its latest delivery of the event; undefined: it is not among the latest 100 of all webhooks, or there is none. */
  readonly latest: Delivery | undefined
  readonly deliveries: number
}

/** Why a webhook got no delivery, in words. */
export const WHY_NOT: Readonly<Record<EventReach['reason'], string>> = {
  delivered_to: '',
  sent_by_hand: '',
  type_not_subscribed: texts.notSubscribed,
  filter: texts.filterDoesNotMatch,
  inactive: texts.wasInactive,
}

/** The webhooks that an event met, those with a delivery first. `deliveries` of the event are newest first. */
export function rowsOf(
  { webhooks, deliveries }: Pick<EventDetail, 'webhooks' | 'deliveries'>,
  names: readonly WebhookName[],
): readonly WebhookRow[] {
  const nameOf = new Map(names.map(({ id, name }) => [id, name]))
  const rows = webhooks.map(({ webhook_id: webhookId, delivery_id: firstId, reason }): WebhookRow => {
    const own = deliveries.filter(({ webhook_id }) => webhook_id === webhookId)
    const name = nameOf.get(webhookId) ?? webhookId
    return { webhookId, name, reason, firstId, latest: own[0], deliveries: own.length }
  })
  const rank = ({ latest, firstId }: WebhookRow) => (latest ? 0 : firstId === null ? 2 : 1)
  return rows.sort((a, b) => rank(a) - rank(b))
}

/** Whether an event is a test: its id says so. */
export const isTest = (eventId: string): boolean => eventId.startsWith('evt_test_')

/** The webhooks that an event may be sent to by hand: those that have no delivery of it. */
export const withoutDelivery = (
  { webhooks, deliveries }: Pick<EventDetail, 'webhooks' | 'deliveries'>,
  names: readonly WebhookName[],
): readonly WebhookName[] => {
  const got = new Set([
    ...webhooks.flatMap(({ webhook_id, delivery_id }) => (delivery_id === null ? [] : [webhook_id])),
    ...deliveries.map(({ webhook_id }) => webhook_id),
  ])
  return names.filter(({ id }) => !got.has(id))
}

/** A field that an event tells to have changed, with the JSON of both values. `after` is undefined where the field is gone. */
export type Change = { readonly name: string; readonly before: string; readonly after: string | undefined }

/** Changes that are listed: the payload has all of them. */
const CHANGES_SHOWN = 50

/** What changed, by an envelope with `previous`. */
export function changesOf({ previous, data }: EventDetail['payload']): readonly Change[] {
  const now = isObject(data) ? data : {}
  return Object.entries(isObject(previous) ? previous : {})
    .slice(0, CHANGES_SHOWN)
    .map(([name, before]) => ({
      name,
      before: JSON.stringify(before),
      after: name in now ? JSON.stringify(now[name]) : undefined,
    }))
}
