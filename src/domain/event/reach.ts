import { passes, type FilterVerdict } from '../webhook/filter/compile.ts'
import { WIDENED_MS } from '../recovery/segments.ts'

/** Why an event was sent to a webhook, or was not. */
export const REACH_REASONS = [
  'delivered_to',
  'sent_by_hand',
  'type_not_subscribed',
  'filter',
  'inactive',
] as const
export type ReachReason = (typeof REACH_REASONS)[number]

/** Why an event was sent to one webhook or was not, and its delivery there, if it has one. */
export type Reach = {
  readonly webhookId: string
  readonly deliveryId: string | null
  readonly reason: ReachReason
}

/** The facts about one webhook that decide why it got an event, or did not. */
export type ReachFacts = {
  /** Its first delivery of the event; null if there is none. `isRecovered`: whether a recovery has ever queued it. */
  readonly delivery: {
    readonly id: string
    readonly createdAt: Date
    readonly isRecovered: boolean
  } | null
  /** The latest pause that began before the event, or within WIDENED_MS after it; null if there is none. */
  readonly pause: { readonly startsAt: Date; readonly endsAt: Date | null } | null
  /** Whether it subscribes to the type of the event now. */
  readonly subscribes: boolean
  /** When its filter was last changed; null if never. */
  readonly filterChangedAt: Date | null
}

/**
 * Why an event has a delivery for a webhook, or none. A publish gives its deliveries the time of the event. So a
 * delivery with a later time was sent by hand, unless a recovery made it. Pauses are known as they were at the time of
 * the event, but types and filter only as they are now. If the event has no delivery but would be sent now, the filter
 * or the types have changed since. The reason is the filter if it was changed after the event, otherwise the types.
 *
 * @param verdict the verdict of the webhook's present filter; null if it has no filter
 */
export function reachReason(facts: ReachFacts, verdict: FilterVerdict | null, happenedAt: Date): ReachReason {
  const { delivery } = facts
  if (delivery)
    return delivery.createdAt > happenedAt && !delivery.isRecovered ? 'sent_by_hand' : 'delivered_to'
  if (covers(facts.pause, happenedAt, 0)) return 'inactive'
  if (!facts.subscribes) return 'type_not_subscribed'
  if (verdict && !passes(verdict)) return 'filter'
  // The publish read the webhook a moment after the event was created. So a pause that began or ended at about that time
  // counts.
  if (covers(facts.pause, happenedAt, WIDENED_MS)) return 'inactive'
  return facts.filterChangedAt && facts.filterChangedAt >= happenedAt ? 'filter' : 'type_not_subscribed'
}

const covers = (pause: ReachFacts['pause'], at: Date, widenedMs: number): boolean =>
  pause !== null &&
  pause.startsAt.getTime() <= at.getTime() + widenedMs &&
  (pause.endsAt === null || pause.endsAt.getTime() >= at.getTime() - widenedMs)
