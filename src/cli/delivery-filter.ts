import { DELIVERY_STATUSES, type DeliveryStatus } from '../domain/delivery/delivery.ts'
import { RESPONSE_CLASSES, type DeliveryFilter } from '../domain/delivery/lists.ts'
import { TEST_EVENT_TYPE } from '../domain/event/event.ts'
import { EVENT_TYPES } from '../domain/event/catalog.ts'
import { isEventId, isId } from '../domain/ids.ts'
import { endsBeforeItBegins } from '../domain/pagination.ts'
import { isGiven, UsageError, type Values } from './command.ts'
import { SEARCH, searchOf } from './options.ts'
import { filterBy, filterByAny, filterByTime } from './values.ts'

const UNDELIVERED: readonly DeliveryStatus[] = ['pending', 'retrying', 'failed']

/** The options that say which deliveries a list shows; those of the API, in the words of the command line. */
export const DELIVERY_FILTER = {
  status: { value: 'STATUS,…', help: `Only these: ${DELIVERY_STATUSES.join(', ')}.` },
  undelivered: { help: 'Only what was accepted and not delivered: pending, retrying and failed.' },
  'event-type': { value: 'TYPE', help: 'Only those of this event type.' },
  'event-id': { value: 'EVENT_ID', help: 'Only those of this event, evt_….' },
  'delivery-id': { value: 'DELIVERY_ID', help: 'Only this one, del_….' },
  response: {
    value: 'CLASS',
    help: `Only those whose latest attempt was answered so: ${RESPONSE_CLASSES.join(', ')}. none: not reached, or not attempted.`,
  },
  ...SEARCH,
  since: { value: 'TIME', help: 'Only those created at this ISO 8601 date or time, or later.' },
  until: { value: 'TIME', help: 'Only those created before this ISO 8601 date or time.' },
}

/** Reads these options. @throws UsageError */
export function deliveryFilterOf(values: Values): DeliveryFilter {
  const eventId = values['event-id']
  if (eventId !== undefined && !isEventId(eventId)) throw new UsageError('--event-id must be evt_….')
  const deliveryId = values['delivery-id']
  if (deliveryId !== undefined && !isId('delivery', deliveryId))
    throw new UsageError('--delivery-id must be del_….')
  const window = { createdAfter: filterByTime(values, 'since'), createdBefore: filterByTime(values, 'until') }
  if (endsBeforeItBegins(window)) throw new UsageError('--until is earlier than --since.')
  return {
    ...window,
    statuses: statusesOf(values),
    eventType: filterBy(values, 'event-type', [...EVENT_TYPES, TEST_EVENT_TYPE]),
    eventId,
    deliveryId,
    response: filterBy(values, 'response', RESPONSE_CLASSES),
    ...searchOf(values),
  }
}

function statusesOf(values: Values): readonly DeliveryStatus[] | undefined {
  const statuses = filterByAny(values, 'status', DELIVERY_STATUSES)
  if (!isGiven(values, 'undelivered')) return statuses
  if (statuses) throw new UsageError('Give either --status or --undelivered.')
  return UNDELIVERED
}
