import type { Delivery, EventDetail, EventReach, WebhookName } from '../common/api/wire.ts'
import { isObject } from '../common/format/is-object.ts'
import { texts } from './texts.ts'

/** What happened to an event at one webhook. */
export type WebhookRow = {
  readonly webhookId: string
  readonly name: string
  readonly reason: EventReach['reason']
  /** The first delivery of the event to the webhook; null if there is none. */
  readonly firstId: string | null
  /**
   * The latest delivery of the event to the webhook. undefined if there is none, or it is not among the latest 100 of all
   * webhooks.
   */
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

/** The webhooks with their part in the event, those with a delivery first. @param deliveries of the event, newest first */
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

/** Whether an event is a test event. Its id tells. */
export const isTest = (eventId: string): boolean => eventId.startsWith('evt_test_')

/** The webhooks to which a user may send the event by hand: those without a delivery of it. */
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

/** A field that the event says has changed, with both values as JSON. `after` is undefined if the field was removed. */
export type Change = { readonly name: string; readonly before: string; readonly after: string | undefined }

/** The most changes that are listed. The payload has all of them. */
const CHANGES_SHOWN = 50

/** The changes, read from an envelope with `previous`. */
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
